/** A list that is read by pages has every item once, however many are created and deleted meanwhile. */
import type { Client } from 'content-api-client';

export const run = async (api: Client) => {
  const artists = api.items('Artist');
  const filter = { Name: { _starts_with: 'paged ' } };
  await artists.createMany(['b', 'd', 'd', 'd', 'f', 'h'].map((name) => ({ Name: `paged ${name}` })));
  const seen: (string | null)[] = [];
  for await (const page of artists.pages({ filter, sort: ['Name'], limit: 2 })) {
    seen.push(...page.map(({ Name }) => Name));
    if (seen.length !== 2) continue;
    // two before the next page, which offsets would repeat, and two after it
    await artists.createMany(['a', 'c', 'e', 'i'].map((name) => ({ Name: `paged ${name}` })));
  }
  const left: (string | null)[] = [];
  for await (const { ArtistId, Name } of artists.iterate({ filter, sort: ['-Name'], limit: 3 })) {
    left.push(Name);
    // each that was read is gone, so that offsets would skip as many
    await artists.delete(ArtistId);
  }
  const { meta } = await artists.list({ filter, meta: ['filter_count'], limit: 0 });
  return { seen: shorten(seen), left: shorten(left), count: meta.filter_count };
};

const shorten = (names: readonly (string | null)[]): string =>
  names.map((name) => name?.slice('paged '.length)).join('');

export const expected = { seen: 'bdddefhi', left: 'ihfedddcba', count: 0 };

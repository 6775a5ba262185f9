/** Aliases: a list is read twice, fields and functions have other names, and `deep` knows them, with exact types. */
import type { Client } from 'content-api-client';
import { exactly } from './exactly.js';

export const run = async (api: Client) => {
  const albums = api
    .items('Album')
    .alias({ first: 'Track', last: 'Track', tracks: 'count(Track)', by: 'ArtistId' });
  const album = await albums.get(1, {
    fields: [
      'first.Name',
      { last: ['Name', { GenreId: ['Name'] }], by: ['Name'], ArtistId: ['Name'] },
      'tracks',
    ],
    deep: { first: { _limit: 1 }, last: { _limit: 1, _sort: ['-TrackId'] }, ArtistId: {} },
  });
  exactly<{
    first: { Name: string }[];
    last: { Name: string; GenreId: { Name: string | null } | null }[];
    by: { Name: string | null };
    ArtistId: { Name: string | null };
    tracks: number;
  }>()(album);
  const [customer] = await api
    .items('Customer')
    .alias({ name: 'LastName', helper: 'SupportRepId', orders: 'Invoice' })
    .list({
      fields: ['name', 'helper', 'orders'],
      deep: { orders: { _limit: 2 } },
      limit: 1,
      sort: ['CustomerId'],
    });
  exactly<{ name: string; helper: number | null; orders: number[] } | undefined>()(customer);
  const names: string[] = [];
  for await (const { title } of api
    .items('Album')
    .alias({ title: 'Title' })
    .iterate({ fields: ['title'], limit: 200 }))
    names.push(title);
  const file = await api
    .items('Album')
    .alias({ title: 'Title' })
    .download('csv', { fields: ['title'], limit: 1 });
  const { data, meta } = await api
    .items('Genre')
    .alias({ label: 'Name' })
    .list({ fields: ['*', 'label'], meta: ['total_count'], limit: 1 });
  exactly<{ GenreId: number; Name: string | null; label: string | null }[]>()(data);
  return [album, customer, names.length, await new Response(file).text(), data, meta];
};

export const expected = [
  {
    first: [{ Name: 'For Those About To Rock (We Salute You)' }],
    last: [{ Name: 'Spellbound', GenreId: { Name: 'Rock' } }],
    by: { Name: 'AC/DC' },
    ArtistId: { Name: 'AC/DC' },
    tracks: 10,
  },
  { name: 'Gonçalves', helper: 3, orders: [98, 121] },
  347,
  '"title"\n"For Those About To Rock We Salute You"',
  [{ GenreId: 1, Name: 'Rock', label: 'Rock' }],
  { total_count: 25 },
];

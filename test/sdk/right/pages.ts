/** A list is read page by page, each item once. */
import type { Client } from 'content-api-client';
import { exactly } from './exactly.js';

export const run = async (api: Client) => {
  const sizes: number[] = [];
  for await (const page of api.items('Genre').pages({ fields: ['Name'], sort: ['-Name'], limit: 10 })) {
    exactly<{ Name: string | null }[]>()(page);
    sizes.push(page.length);
  }
  const keys = new Set<number>();
  for await (const item of api.items('Genre').iterate({ limit: 7 })) keys.add(item.GenreId);
  const { data, meta } = await api
    .items('Genre')
    .list({ fields: ['GenreId'], limit: 24, meta: ['cursor', '*'] });
  exactly<string | null>()(meta.cursor);
  exactly<number>()(meta.total_count);
  const rest = await api.items('Genre').list({ fields: ['GenreId'], after: meta.cursor ?? '' });
  return { sizes, keys: keys.size, first: data.length, rest: rest.length };
};

export const expected = { sizes: [10, 10, 5], keys: 25, first: 24, rest: 1 };

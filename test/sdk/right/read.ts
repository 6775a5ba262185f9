/** Nested fields decide the type; relational filters and sort. */
import type { Client } from 'content-api-client';
import { exactly } from './exactly.js';

export const run = async (api: Client) => {
  const albums = await api.items('Album').list({
    fields: ['Title', { ArtistId: ['Name'] }],
    filter: {
      ArtistId: { Name: { _starts_with: 'Iron' } },
      Track: { _some: { Milliseconds: { _gt: 600_000 } } },
    },
    sort: ['ArtistId.Name', '-Title'],
    limit: 2,
  });
  exactly<{ Title: string; ArtistId: { Name: string | null } }[]>()(albums);
  return albums;
};

export const expected = [
  { Title: 'The X Factor', ArtistId: { Name: 'Iron Maiden' } },
  { Title: 'Rock In Rio [CD1]', ArtistId: { Name: 'Iron Maiden' } },
];

/** Nested lists have parameters of their own. */
import type { Client } from 'content-api-client';

export const run = (api: Client) =>
  api.items('Artist').list({
    fields: ['Name', { Album: ['Title', { Track: ['Name'] }] }],
    filter: { Name: { _eq: 'AC/DC' } },
    deep: {
      Album: {
        _sort: ['-Title'],
        _limit: 1,
        Track: {
          _filter: { Milliseconds: { _between: [360_000, 400_000] } },
          _sort: ['AlbumId.Title', 'Name'],
        },
      },
    },
  });

export const expected = [
  {
    Name: 'AC/DC',
    Album: [{ Title: 'Let There Be Rock', Track: [{ Name: 'Let There Be Rock' }, { Name: 'Overdose' }] }],
  },
];

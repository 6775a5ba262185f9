/** A query too long for a URL goes as the body of a SEARCH; nobody has to think of it. */
import { ApiError, type Client } from 'content-api-client';

export const run = async (api: Client) => {
  const keys = Array.from({ length: 3000 }, (_, index) => index + 1);
  const { data, meta } = await api.items('Track').list({
    fields: ['TrackId'],
    filter: { TrackId: { _in: keys } },
    sort: ['-TrackId'],
    limit: 1,
    meta: ['filter_count'],
  });
  const Track = { _filter: { TrackId: { _in: keys } }, _sort: ['TrackId'], _limit: 1 } as const;
  const album = await api.items('Album').get(4, { fields: ['Title', { Track: ['Name'] }], deep: { Track } });
  const entry = await api.items('PlaylistTrack').get([18, 597], {
    fields: ['PlaylistId'],
    deep: { TrackId: { _filter: { TrackId: { _in: keys } } } },
  });
  const missing = await api
    .items('Album')
    .get(4000, { deep: { Track } })
    .catch((error: unknown) => error instanceof ApiError && [error.code, error.status]);
  return [data, meta, album, entry, missing];
};

export const expected = [
  [{ TrackId: 3000 }],
  { filter_count: 3000 },
  { Title: 'Let There Be Rock', Track: [{ Name: 'Go Down' }] },
  { PlaylistId: 18 },
  ['FORBIDDEN', 403],
];

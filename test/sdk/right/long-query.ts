/** A query too long for a URL goes as the body of a SEARCH; nobody has to think of it. */
import type { Client } from 'content-api-client';

export const run = async (api: Client) => {
  const keys = Array.from({ length: 3000 }, (_, index) => index + 1);
  const { data, meta } = await api.items('Track').list({
    fields: ['TrackId'],
    filter: { TrackId: { _in: keys } },
    sort: ['-TrackId'],
    limit: 1,
    meta: ['filter_count'],
  });
  return [data, meta];
};

export const expected = [[{ TrackId: 3000 }], { filter_count: 3000 }];

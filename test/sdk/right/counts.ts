/** `meta` gives counts beside the items. */
import type { Client } from 'content-api-client';
import { exactly } from './exactly.js';

export const run = async (api: Client) => {
  const { data, meta } = await api.items('Genre').list({
    fields: ['Name'],
    filter: { Name: { _icontains: 'rock' } },
    meta: ['total_count', 'filter_count'],
    limit: 1,
  });
  exactly<{ Name: string | null }[]>()(data);
  exactly<number>()(meta.filter_count);
  return { data, meta };
};

export const expected = { data: [{ Name: 'Rock' }], meta: { total_count: 25, filter_count: 2 } };

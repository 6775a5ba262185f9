/** One item: made, changed, deleted; answers as the query asks. */
import { ApiError, type Client, type CreateInput } from 'content-api-client';
import { exactly } from './exactly.js';

export const run = async (api: Client) => {
  const data: CreateInput<'Album'> = { Title: 'First', ArtistId: 1 };
  const made = await api.items('Album').create(data, { fields: ['AlbumId', { ArtistId: ['Name'] }] });
  exactly<{ AlbumId: number; ArtistId: { Name: string | null } }>()(made);
  const changed = await api.items('Album').update(made.AlbumId, { Title: 'Second' }, { fields: ['Title'] });
  await api.items('Album').delete(made.AlbumId);
  const gone = await api
    .items('Album')
    .get(made.AlbumId)
    .catch((error: unknown) => error);
  return [made.ArtistId, changed, gone instanceof ApiError && [gone.code, gone.status, gone.errors.length]];
};

export const expected = [{ Name: 'AC/DC' }, { Title: 'Second' }, ['FORBIDDEN', 403, 1]];

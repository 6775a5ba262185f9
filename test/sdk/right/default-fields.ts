/** Without fields: every column, with the type of the collection. */
import type { Client, Item } from 'content-api-client';
import { exactly } from './exactly.js';

export const run = async (api: Client) => {
  const albums = await api.items('Album').list({ limit: 1 });
  exactly<Item<'Album'>[]>()(albums);
  const track = await api.items('Track').get(1);
  exactly<string | null>()(track.Composer);
  exactly<string>()(track.UnitPrice);
  return [albums, track.UnitPrice];
};

export const expected = [
  [{ AlbumId: 1, Title: 'For Those About To Rock We Salute You', ArtistId: 1 }],
  '0.99',
];

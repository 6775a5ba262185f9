/** Dotted paths, `*` and lists of keys. */
import type { Client } from 'content-api-client';
import { exactly } from './exactly.js';

export const run = async (api: Client) => {
  const track = await api.items('Track').get(6, {
    fields: [
      'Name',
      'AlbumId.Title',
      'AlbumId.ArtistId.Name',
      'PlaylistTrack',
      { InvoiceLine: ['Quantity'] },
    ],
  });
  exactly<{
    Name: string;
    AlbumId: { Title: string; ArtistId: { Name: string | null } } | null;
    PlaylistTrack: string[];
    InvoiceLine: { Quantity: number }[];
  }>()(track);
  const album = await api.items('Album').get(1, { fields: ['*.*'] });
  exactly<string | null>()(album.ArtistId.Name);
  const keys = await api.items('Artist').get(1, { fields: ['Album'] });
  exactly<number[]>()(keys.Album);
  return [track.AlbumId?.ArtistId.Name, track.PlaylistTrack[0], album.ArtistId, keys];
};

export const expected = ['AC/DC', '1,6', { ArtistId: 1, Name: 'AC/DC' }, { Album: [1, 4] }];

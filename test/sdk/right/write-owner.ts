/** The item that a key refers to is created or changed with the key, to any depth. */
import type { Client, UpdateInput } from 'content-api-client';

export const run = async (api: Client) => {
  const albums = api.items('Album');
  const fields = ['Title', { ArtistId: ['ArtistId', 'Name'] }] as const;
  const made = await albums.create({ Title: 'sdk owned', ArtistId: { Name: 'sdk new' } }, { fields });
  const { ArtistId } = made.ArtistId;
  const { AlbumId = 0 } = (await albums.list({ filter: { Title: { _eq: 'sdk owned' } } }))[0] ?? {};
  const renamed: UpdateInput<'Album'> = { ArtistId: { ArtistId, Name: 'sdk renamed' } };
  const changed = await albums.update(AlbumId, renamed, { fields });
  const track = await api.items('Track').create(
    {
      Name: 'sdk deep',
      Milliseconds: 1,
      UnitPrice: '1',
      MediaTypeId: { Name: 'sdk media' },
      AlbumId: { Title: 'sdk other', ArtistId: { ArtistId } },
    },
    { fields: ['TrackId', { MediaTypeId: ['MediaTypeId'], AlbumId: ['AlbumId', { ArtistId: ['Name'] }] }] },
  );
  await api.items('Track').delete(track.TrackId);
  await api.items('MediaType').delete(track.MediaTypeId.MediaTypeId);
  await albums.deleteMany([AlbumId, track.AlbumId?.AlbumId ?? 0]);
  await api.items('Artist').delete(ArtistId);
  return [made.Title, made.ArtistId.Name, changed.ArtistId.Name, track.AlbumId?.ArtistId.Name];
};

export const expected = ['sdk owned', 'sdk new', 'sdk renamed', 'sdk renamed'];

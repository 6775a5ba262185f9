/** A list that is written with its owner: items that are new, changed, kept and deleted. */
import type { Client, CreateInput } from 'content-api-client';

export const run = async (api: Client) => {
  const artists = api.items('Artist');
  const data: CreateInput<'Artist'> = {
    Name: 'sdk owner',
    Album: [{ Title: 'sdk a', Track: [{ Name: 'sdk t', MediaTypeId: 1, Milliseconds: 1, UnitPrice: '1' }] }],
  };
  const fields = [{ Album: ['AlbumId', 'Title', { Track: ['TrackId', 'Name'] }] }] as const;
  const { ArtistId } = await artists.create(data);
  const whole = await artists.get(ArtistId, { fields });
  const keys = whole.Album.map(({ AlbumId }) => AlbumId);
  await artists.update(ArtistId, { Album: [...keys, { Title: 'sdk b' }] });
  await artists.update(ArtistId, {
    Album: {
      create: [{ Title: 'sdk c' }],
      update: keys.map((AlbumId) => ({
        AlbumId,
        Title: 'sdk d',
        Track: { delete: whole.Album.flatMap(({ Track }) => Track.map(({ TrackId }) => TrackId)) },
      })),
    },
  });
  const changed = await artists.get(ArtistId, { fields: [{ Album: ['AlbumId', 'Title', 'Track'] }] });
  await artists.update(ArtistId, { Album: { delete: changed.Album.map(({ AlbumId }) => AlbumId) } });
  await artists.delete(ArtistId);
  return [
    whole.Album.map(({ Title, Track }) => [Title, Track.map(({ Name }) => Name)]),
    changed.Album.map(({ Title, Track }) => [Title, Track]),
  ];
};

export const expected = [
  [['sdk a', ['sdk t']]],
  [
    ['sdk d', []],
    ['sdk b', []],
    ['sdk c', []],
  ],
];

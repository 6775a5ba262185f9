/** A composite key is its values, in order. */
import type { Client, Key } from 'content-api-client';

export const run = async (api: Client) => {
  const rows = api.items('PlaylistTrack');
  const key: Key<'PlaylistTrack'> = [18, 1];
  await rows.create({ PlaylistId: 18, TrackId: 1 });
  const found = await rows.get(key, { fields: [{ PlaylistId: ['Name'], TrackId: ['Name'] }] });
  await rows.deleteMany([key]);
  await rows.create({ PlaylistId: 18, TrackId: 1 });
  await rows.delete(key);
  return [found, (await rows.list({ filter: { PlaylistId: { _eq: 18 } } })).length];
};

export const expected = [
  { PlaylistId: { Name: 'On-The-Go 1' }, TrackId: { Name: 'For Those About To Rock (We Salute You)' } },
  1,
];

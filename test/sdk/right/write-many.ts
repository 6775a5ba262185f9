/** Several items at once, by key, by query, or each for itself. */
import type { Client } from 'content-api-client';

export const run = async (api: Client) => {
  const genres = api.items('Genre');
  const made = await genres.createMany([{ Name: 'sdk a' }, { Name: 'sdk b' }, { Name: 'sdk c' }]);
  const keys = made.map(({ GenreId }) => GenreId);
  const [first = 0, second = 0] = keys;
  const byKey = await genres.updateMany({ keys: [first], data: { Name: 'sdk d' } }, { fields: ['Name'] });
  const each = await genres.updateMany([{ GenreId: second, Name: 'sdk e' }], { fields: ['Name'] });
  const byQuery = await genres.updateMany(
    { query: { filter: { Name: { _eq: 'sdk c' } } }, data: { Name: null } },
    { fields: ['Name'] },
  );
  await genres.deleteMany([first]);
  await genres.deleteMany({ keys: [second] });
  await genres.deleteMany({ query: { sort: ['-GenreId'], limit: 0 } });
  await genres.deleteMany({ query: { filter: { GenreId: { _in: keys } } } });
  return [byKey, each, byQuery, await genres.list({ filter: { GenreId: { _in: keys } } })];
};

export const expected = [[{ Name: 'sdk d' }], [{ Name: 'sdk e' }], [{ Name: null }], []];

/** Options of writes: trials, conditions, and items that are stored already. */
import { ApiError, type Client } from 'content-api-client';
import { exactly } from './exactly.js';

const codeOf = (error: unknown): unknown => (error instanceof ApiError ? error.code : error);

export const run = async (api: Client) => {
  const genres = api.items('Genre');
  const tried = await genres.create({ Name: 'Never stored' }, { dryRun: true, fields: ['Name'] });
  exactly<{ Name: string | null }>()(tried);
  const stored = await genres.list({ filter: { Name: { _eq: 'Never stored' } } });

  const made = await genres.create({ Name: 'One' });
  const { data, meta } = await genres.get(made.GenreId, { meta: ['etag'] });
  exactly<{ etag: string | null }>()(meta);
  const ifMatch = meta.etag ?? '';
  const same = await genres.get(made.GenreId, { ifNoneMatch: ifMatch });
  exactly<{ GenreId: number; Name: string | null } | null>()(same);
  await genres.update(made.GenreId, { Name: 'Two' }, { ifMatch });
  const newer = await genres.get(made.GenreId, { ifNoneMatch: ifMatch, meta: ['etag'] });
  const outdated = await genres.update(made.GenreId, { Name: 'Three' }, { ifMatch }).catch(codeOf);
  const kept = await genres.delete(made.GenreId, { ifMatch }).catch(codeOf);

  const rows = [{ GenreId: made.GenreId, Name: 'Four' }, { Name: 'Five' }];
  const merged = await genres.createMany(rows, { onConflict: 'update', fields: ['GenreId', 'Name'] });
  exactly<('created' | 'updated')[]>()(merged.meta.outcomes);
  const keys = merged.data.map(({ GenreId }) => GenreId);
  const gone = await genres.deleteMany(keys, { dryRun: true });
  exactly<number>()(gone);
  const left = await genres.list({ filter: { GenreId: { _in: keys } } });
  await genres.deleteMany(keys);

  const settings = api.items('svc_settings');
  const { data: before, meta: tag } = await settings.get({ meta: ['etag'] });
  exactly<string | null>()(tag.etag);
  const unchanged = await settings.get({ ifNoneMatch: tag.etag ?? '' });
  await settings.update({ activity_days: 7 }, { ifMatch: tag.etag ?? '' });
  const late = await settings.update({ activity_days: 8 }, { ifMatch: tag.etag ?? '' }).catch(codeOf);
  const { activity_days: days } = await settings.get();
  await settings.update({ activity_days: before.activity_days });
  return [
    same,
    newer?.data.Name,
    gone,
    tried,
    stored,
    data.Name,
    outdated,
    kept,
    merged.meta.outcomes,
    left.length,
    unchanged,
    late,
    days,
  ];
};

export const expected = [
  null,
  'Two',
  2,
  { Name: 'Never stored' },
  [],
  'One',
  'PRECONDITION_FAILED',
  'PRECONDITION_FAILED',
  ['updated', 'created'],
  2,
  null,
  'PRECONDITION_FAILED',
  7,
];

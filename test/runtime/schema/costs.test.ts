/** Locks and rewrites that explain reports are those of the database. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ExplainedChange } from '../../../runtime/schema/explain/explain.js';
import type { ExactCost } from '../../../runtime/schema/explain/table-changes.js';
import type { FieldSchema } from '../../../runtime/schema/snapshot/types.js';
import type { Difference } from '../../../runtime/schema/service.js';
import { copyField, edited, field, tinyScript, type Edit } from './edits.js';
import { createPlace, type Place } from './places.js';

const change =
  (collection: string, name: string, schema: Partial<FieldSchema>): Edit =>
  (snapshot) => {
    Object.assign(field(snapshot, collection, name).schema, schema);
  };

const add =
  (name: string, schema: Partial<FieldSchema>): Edit =>
  (snapshot) => {
    snapshot.fields.push(
      copyField(field(snapshot, 'shelves', 'depth'), name, { default_value: null, ...schema }),
    );
  };

const tableOf =
  (collection: string, schema: Record<string, unknown>): Edit =>
  (snapshot) => {
    const found = snapshot.collections.find((entry) => entry.collection === collection);
    Object.assign(found?.schema ?? {}, schema);
  };

const drop =
  (name: string): Edit =>
  (snapshot) => {
    snapshot.fields = snapshot.fields.filter((entry) => entry.field !== name);
  };

const generated = (kind: 'stored' | 'virtual'): Partial<FieldSchema> => ({
  is_generated: true,
  generation_expression: 'depth * 2',
  generation_kind: kind,
});

const common: readonly (readonly [string, Edit])[] = [
  ['a field', add('plain', {})],
  ['a field with a default', add('filled', { default_value: 7 })],
  ['no null', change('shelves', 'depth', { is_nullable: false })],
  ['null', change('shelves', 'depth', { is_nullable: true })],
  ['a stored generated field', add('twice', generated('stored'))],
  ['a longer text', change('boxes', 'code', { max_length: 20 })],
  ['a much longer text', change('boxes', 'code', { max_length: 200 })],
  ['a shorter text', change('boxes', 'code', { max_length: 30 })],
  ['another default', change('shelves', 'depth', { default_value: 31 })],
  ['a wider number', change('shelves', 'depth', { data_type: 'bigint' })],
  ['a more exact number', change('boxes', 'weight', { numeric_scale: 8, numeric_precision: 22 })],
  ['a comment', change('shelves', 'label', { comment: 'what it is' })],
  ['an index', tableOf('shelves', { indexes: [{ name: 'by_depth', unique: false, columns: ['depth'] }] })],
  [
    'another name of an index',
    tableOf('shelves', { indexes: [{ name: 'of_depth', unique: false, columns: ['depth'] }] }),
  ],
  ['a unique constraint', tableOf('shelves', { uniques: [{ name: 'one_label', columns: ['label'] }] })],
  [
    'another name of a unique constraint',
    tableOf('shelves', { uniques: [{ name: 'single_label', columns: ['label'] }] }),
  ],
  ['a check', tableOf('shelves', { checks: [{ name: 'deep', expression: 'depth > 0' }] })],
  ['no check', tableOf('shelves', { checks: [] })],
  [
    'no index',
    (snapshot) => {
      tableOf('shelves', { indexes: [] })(snapshot);
      change('shelves', 'depth', { is_indexed: false })(snapshot);
    },
  ],
  ['no relation', (snapshot) => (snapshot.relations = [])],
  ['a dropped field', drop('weight')],
];

interface Explained {
  readonly difference: Difference;
  readonly statements: readonly string[];
  readonly changes: readonly ExplainedChange[];
  /** Cost of the altered table as the server reports it; null where no table is altered. */
  readonly exact: ExactCost | null;
}

const explain = async (place: Place, edit: Edit): Promise<Explained> => {
  const difference = await place.diff(edited(await place.snapshot(), edit), { explain: 'exact' });
  if (difference?.explain === undefined) throw new Error('there is no difference');
  const { statements, collections } = difference.explain;
  const [exact = null] = collections.flatMap((each) => each.exact ?? []);
  return { difference, statements, changes: collections.flatMap(({ changes }) => changes), exact };
};

// in order: each change is one of what those before have left
const inOrder = { shuffle: false };

describe.each(['mysql', 'mariadb'] as const)('on %s', (dialect) => {
  let place: Place;
  beforeAll(async () => {
    place = await createPlace(dialect, tinyScript(dialect));
  });
  afterAll(() => place.drop());

  const cases = [...common, ['a virtual generated field', add('thrice', generated('virtual'))] as const];
  const algorithms = ['INSTANT', ...(dialect === 'mariadb' ? ['NOCOPY'] : []), 'INPLACE', 'COPY'];

  describe('a change', inOrder, () => {
    it.each(cases)('%s costs what its explanation states', async (_name, edit) => {
      const { statements, changes, exact } = await explain(place, edit);
      const [statement = '', ...others] = statements;
      expect(others).toEqual([]);
      const ranks = changes.map(({ algorithm }) => algorithms.indexOf(algorithm));
      const rank = Math.max(...ranks);
      for (const cheaper of algorithms.slice(0, rank)) {
        await expect(place.execute(`${statement}, algorithm=${cheaper}`)).rejects.toThrow(/^ALGORITHM=/);
      }
      const isKey = changes.some(({ change: kind }) => kind.endsWith('relation'));
      expect(exact?.algorithm).toBe(isKey ? undefined : algorithms[rank]);
      if (exact?.algorithm === 'INPLACE')
        await place.execute(`${statement}, algorithm=inplace, lock=${exact.lock}`);
      else await place.execute(`${statement}, algorithm=${algorithms[rank]}`);
      const tables = await place.database.query("show tables like 'svc\\_scratch%'");
      expect(tables).toEqual([]);
    });
  });
});

describe('on postgres', inOrder, () => {
  let place: Place;
  beforeAll(async () => {
    place = await createPlace('postgres', tinyScript('postgres'));
  });
  afterAll(() => place.drop());

  const rewritten = `select string_agg(pg_relation_filenode(oid)::text, ',' order by relname) as nodes from pg_class
    where relname in ('boxes', 'shelves') and relnamespace = current_schema()::regnamespace`;
  const locks = `select mode from pg_locks l join pg_class c on c.oid = l.relation
    where l.pid = pg_backend_pid() and c.relname in ('boxes', 'shelves', 'of_depth')`;

  it.each([
    ...common,
    [
      'a uuid for each row',
      add('key', {
        data_type: 'uuid',
        default_value: 'uuid()',
        default_kind: 'expression',
        max_length: null,
      }),
    ] as const,
  ])('%s takes the lock and rewrites as its explanation states', async (_name, edit) => {
    const { statements, changes, exact } = await explain(place, edit);
    await place.database.transaction(async (executor) => {
      const [before] = await executor.query(rewritten);
      for (const text of statements) await executor.write({ text, values: [] });
      const [after] = await executor.query(rewritten);
      const taken = (await executor.query(locks)).map(({ mode }) => String(mode).toUpperCase());
      const isRewritten = changes.some(({ work }) => work === 'rewrite');
      expect(after?.nodes !== before?.nodes).toBe(isRewritten);
      const isKey = changes.some(({ change: kind }) => kind.endsWith('relation'));
      expect(exact?.rewrites).toBe(isKey ? undefined : isRewritten);
      for (const { lock } of changes) expect(taken).toContain(`${lock.replaceAll(' ', '')}LOCK`);
    });
  });
});

describe('on sqlite', inOrder, () => {
  let place: Place;
  beforeAll(async () => {
    place = await createPlace('sqlite', tinyScript('sqlite'));
  });
  afterAll(() => place.drop());

  it.each(common.filter(([name]) => name !== 'a comment'))(
    '%s rebuilds the table where its explanation states so',
    async (_name, edit) => {
      const { difference, statements, changes } = await explain(place, edit);
      const isRewritten = changes.some(({ work }) => work === 'rewrite');
      expect(statements.some((sql) => sql.startsWith('INSERT INTO'))).toBe(isRewritten);
      expect(changes.map(({ blocks }) => blocks)).toContain('writes');
      await place.apply(difference);
    },
  );
});

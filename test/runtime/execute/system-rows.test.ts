import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SystemTables } from '../../../generated/server/system-rows.js';
import { introspect } from '../../../generator/introspection/index.js';
import { loadSpec } from '../../../generator/spec/load.js';
import type { ColumnSpec } from '../../../generator/spec/types.js';
import { packageRoot } from '../../../runtime/config/package.js';
import {
  deleteRows,
  findRow,
  findRows,
  insertRow,
  insertRows,
  updateRows,
  type NewRow,
} from '../../../runtime/execute/system-rows.js';
import { bootstrap } from '../../../runtime/schema/bootstrap.js';
import { catalogReader, createTestDatabase, dialectsOf, type TestDatabase } from '../../databases.js';
import { plainTokens } from '../harness/plain-tokens.js';

const dialects = dialectsOf(import.meta.url);

const spec = await loadSpec([join(packageRoot, 'spec')]);

type Table = keyof SystemTables;

const tables = [...spec.collections.keys()] as Table[];

const columnsOf = (table: Table): readonly (readonly [string, ColumnSpec])[] => [
  ...(spec.collections.get(table)?.columns ?? []),
];

const sampleOf = ({ type }: ColumnSpec): string | number => {
  switch (type) {
    case 'uuid':
      return randomUUID();
    case 'string':
    case 'text':
    case 'csv':
      return 'aÄ\'"';
    case 'integer':
      return 2_000_000_000;
    case 'bigInteger':
      return 1_700_000_000_123;
    case 'boolean':
      return 1;
    case 'json':
      return '{"a":[1,"ä"]}';
    case 'timestamp':
      return '2024-02-29 23:59:58';
  }
};

const step = (number: number) => ({ number, name: `s${number}`, date_done: number });

describe.each(dialects)('rows of system tables on %s', (dialect) => {
  let place: TestDatabase;

  beforeAll(async () => {
    place = await createTestDatabase(dialect);
    const { database } = place;
    await bootstrap({
      database,
      spec,
      introspect: () => introspect(catalogReader(database), { include: ['svc_*'] }),
      staticTokens: plainTokens,
      admin: { email: 'admin@example.com', token: null, password: null },
      log: () => undefined,
    });
  });
  afterAll(() => place.drop());

  const made = new Map<Table, Record<string, unknown>>();

  /** A row with a value in every column; rows that it needs come first. */
  const insertSample = async (table: Table): Promise<Record<string, unknown>> => {
    const known = made.get(table);
    if (known !== undefined) return known;
    const row: Record<string, unknown> = {};
    for (const [name, column] of columnsOf(table)) {
      const target = column.references;
      if (target === undefined) row[name] = sampleOf(column);
      else if (target.table === table) row[name] = null;
      else row[name] = (await insertSample(target.table as Table))[target.column];
    }
    made.set(table, row);
    await insertRow(place.database, table, row as unknown as NewRow<Table>);
    return row;
  };

  it.each(tables)('of %s are returned as inserted, in the types of the spec', async (table) => {
    const row = await insertSample(table);
    const keys = columnsOf(table).flatMap(([name, { key }]) => (key === true ? [[name, row[name]]] : []));
    const found: Record<string, unknown> = {
      ...(await findRow(place.database, table, { where: Object.fromEntries(keys) })),
    };
    for (const [name, { type }] of columnsOf(table)) {
      // databases write JSON with blanks of their own
      if (type === 'json') found[name] = JSON.stringify(JSON.parse(String(found[name])));
    }
    expect(found).toEqual(row);
  });

  it('are filtered by conditions: equal, null, in a list, below, above, not', async () => {
    const { database } = place;
    await insertRows(database, 'svc_data_steps', [101, 102, 103, 104, 105].map(step));
    const numbers = async (where: Parameters<typeof findRows<'svc_data_steps'>>[2]['where']) => {
      const bounds = { number: [101, 102, 103, 104, 105], ...where };
      const rows = await findRows(database, 'svc_data_steps', {
        where: bounds,
        columns: ['number'],
        order: ['-number'],
      });
      return rows.map(({ number }) => number);
    };
    expect(await numbers({})).toEqual([105, 104, 103, 102, 101]);
    expect(await numbers({ name: 's103' })).toEqual([103]);
    expect(await numbers({ name: undefined })).toHaveLength(5);
    expect(await numbers({ name: ['s101', 's105', 's109'] })).toEqual([105, 101]);
    expect(await numbers({ name: [] })).toEqual([]);
    expect(await numbers({ date_done: { below: 103 } })).toEqual([102, 101]);
    expect(await numbers({ date_done: { above: 103 } })).toEqual([105, 104]);
    expect(await numbers({ name: { not: 's101' } })).toEqual([105, 104, 103, 102]);
  });

  it('are updated and deleted by conditions, and counted', async () => {
    const { database } = place;
    const rows = [1, 2, 3].map((part) => ({ id: `id-${part}`, count: part, until: 50 }));
    await insertRows(database, 'svc_attempts', rows);
    const set = { count: 9 };
    expect(await updateRows(database, 'svc_attempts', { set, where: { until: 50, id: 'id-2' } })).toBe(1);
    expect(await updateRows(database, 'svc_attempts', { set, where: { until: 51, id: 'id-2' } })).toBe(0);
    expect(await deleteRows(database, 'svc_attempts', { until: 50, count: [1, 9] })).toBe(2);
    const left = await findRows(database, 'svc_attempts', { where: { until: 50 } });
    expect(left).toEqual([{ id: 'id-3', count: 3, until: 50 }]);
  });

  it('distinguish null from a value', async () => {
    const { database } = place;
    const id = randomUUID();
    await insertRow(database, 'svc_roles', { id, name: 'Nobody', parent: null });
    const found = (parent: string | null) =>
      findRow(database, 'svc_roles', { where: { id, parent }, columns: ['name'] });
    expect(await found(null)).toEqual({ name: 'Nobody' });
    expect(await found(id)).toBeUndefined();
  });

  it('cannot be changed without a condition', async () => {
    const { database } = place;
    const condition = 'a statement on a system table needs a condition';
    await expect(deleteRows(database, 'svc_attempts', {})).rejects.toThrow(condition);
    await expect(deleteRows(database, 'svc_attempts', { id: undefined })).rejects.toThrow(condition);
    await expect(updateRows(database, 'svc_attempts', { set: { count: 1 }, where: {} })).rejects.toThrow(
      condition,
    );
  });
});

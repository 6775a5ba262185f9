/** Tables that nobody described: a column of each type, written, read, found and sorted. */
import { beforeAll, describe, expect, it } from 'vitest';
import { dialectsOf, type TestDialect } from '../../databases.js';
import { recordStatements } from '../harness/statements.js';
import { useServer } from '../harness/use-server.js';
import type { ColumnKind } from './kinds.js';
import { columnKinds, setups } from './types.js';

const dialects = dialectsOf(import.meta.url);

interface Column extends ColumnKind {
  readonly type: string;
  readonly table: string;
}

interface Row {
  readonly id: number;
  readonly v: unknown;
}

const columnsOf = (dialect: TestDialect): readonly Column[] =>
  Object.entries(columnKinds[dialect]).map(([type, kind], index) =>
    Object.assign({ type, table: `t${index}` }, kind),
  );

const tableSql = ({ type, table }: Column): string =>
  `create table ${table} (id integer primary key, v ${type});`;

/** Types that other rows cannot name: too long for an index, or (`moody`) without an equality of their own. */
const unnameable = {
  sqlite: /^(?:clob|text)/,
  mariadb: /text|blob/,
  mysql: /text|blob/,
  postgres: /^(?:text|moody)/,
} as const;

const isKey = ({ type, compares }: Column, dialect: TestDialect): boolean =>
  (compares === 'order' || compares === 'equality') && !unnameable[dialect].test(type);

const keySql = ({ type, table }: Column): string =>
  `create table k${table} (id integer primary key, v ${type} not null unique);` +
  `create table n${table} (id integer primary key, v ${type}, foreign key (v) references k${table} (v));`;

/** Nothing first, then the values in their order: that of the keys. */
const rowsOf = ({ values }: Column): readonly Row[] =>
  [null, ...values].map((value, index) => ({ id: index + 1, v: value }));

describe.each(dialects)('columns of %s', (dialect) => {
  const columns = columnsOf(dialect);
  const keys = columns.filter((column) => isKey(column, dialect));
  const sql = [setups[dialect], ...columns.map(tableSql), ...keys.map(keySql)].join('\n');
  const server = useServer({ dialect, sql });
  const send = async (method: string, path: string, body?: unknown): Promise<unknown> => {
    const options = { as: 'admin', ...(body !== undefined && { body }) };
    const { status, data, text } = await server().request(method, `/items/${path}`, options);
    return status === 200 ? data : text;
  };
  const ask = async (query: string, variables: object = {}): Promise<unknown> => {
    const body = { query, variables };
    const { data, text } = await server().request('POST', '/graphql', { as: 'admin', body });
    return data ?? text;
  };
  const find = async (table: string, query: unknown): Promise<unknown> => {
    const found = await send('SEARCH', table, { query });
    return Array.isArray(found) ? (found as readonly Row[]).map(({ id }) => id) : found;
  };

  const created = new Map<string, unknown>();
  beforeAll(async () => {
    for (const column of columns)
      created.set(column.table, await send('POST', column.table, rowsOf(column).toReversed()));
  });

  it.each(columns)('$type is created, read, changed and cleared', async (column) => {
    const { table } = column;
    const rows = rowsOf(column);
    expect(created.get(table)).toEqual(rows.toReversed());
    expect(await send('GET', `${table}?sort=id`)).toEqual(rows);
    const [, first, second = first] = rows as readonly [Row, Row, Row?];
    const one = { id: 100, v: first.v };
    expect(await send('POST', table, one)).toEqual(one);
    expect(await send('PATCH', `${table}/100`, { v: second.v })).toEqual({ id: 100, v: second.v });
    expect(await send('PATCH', `${table}/100`, { v: null })).toEqual({ id: 100, v: null });
    expect(await send('GET', `${table}/100`)).toEqual({ id: 100, v: null });
    expect(await server().request('DELETE', `/items/${table}/100`, { as: 'admin' })).toMatchObject({
      status: 204,
    });
  });

  it.each(columns)('$type is changed in several rows at once', async (column) => {
    const { table } = column;
    const rows = rowsOf(column);
    const turned = rows.map(({ id }, index) => ({ id, v: rows[(index + 1) % rows.length]?.v }));
    for (const changed of [turned, rows]) {
      const texts = await recordStatements(server().database, async () => {
        expect(await send('PATCH', `${table}?sort=id`, changed)).toEqual(changed);
      });
      // bytes are written row by row
      const most = /binary|blob|bytea|^bit/.test(column.type) ? rows.length : 1;
      expect(texts.filter((text) => text.startsWith('update')).length).toBeLessThanOrEqual(most);
    }
  });

  it.each(columns)('$type has the same values in GraphQL, read, found and written', async (column) => {
    const { table, compares } = column;
    const rows = rowsOf(column).map(({ id, v }) => ({ id: String(id), v }));
    expect(await ask(`{ ${table}(sort: ["id"]) { id v } }`)).toEqual({ [table]: rows });
    const update = (name: string) => `${name}: update_${table}_item(id: 200, data: $${name}) { v }`;
    const write = `mutation ($data: create_${table}_input!, $cleared: update_${table}_input!, $changed: update_${table}_input!) {
      created: create_${table}_item(data: $data) { id v } ${update('cleared')} ${update('changed')}
      deleted: delete_${table}_item(id: 200) { id } }`;
    for (const { v } of rows) {
      const created = { id: '200', v };
      const written = await ask(write, { data: created, cleared: { v: null }, changed: { v } });
      expect(written).toEqual({ created, cleared: { v: null }, changed: { v }, deleted: { id: '200' } });
    }
    const found = rows.filter(({ v }) => compares !== 'nothing' && v !== null && v !== '');
    if (found.length === 0) return;
    const declared = found.map(({ id }) => `$f${id}: ${table}_filter`).join(', ');
    const read = found.map(({ id }) => `f${id}: ${table}(filter: $f${id}) { id }`).join(' ');
    const filters = Object.fromEntries(found.map(({ id, v }) => [`f${id}`, { v: { _eq: v } }]));
    expect(await ask(`query (${declared}) { ${read} }`, filters)).toEqual(
      Object.fromEntries(found.map(({ id }) => [`f${id}`, [{ id }]])),
    );
  });

  it.each(columns.filter(({ compares }) => compares !== 'nothing'))(
    '$type is found by each of its values',
    async (column) => {
      const { table, compares } = column;
      for (const { id, v } of rowsOf(column)) {
        if (v === null || v === '') continue;
        expect({ v, found: await find(table, { filter: { v: { _eq: v } } }) }).toEqual({ v, found: [id] });
        if (compares === 'truth') continue;
        const several = await find(table, { filter: { v: { _in: [v, v] } } });
        expect({ v, several }).toEqual({ v, several: [id] });
      }
    },
  );

  it.each(columns.filter(({ compares }) => compares === 'order'))(
    '$type is found by range',
    async (column) => {
      const rows = rowsOf(column);
      const last = rows.length;
      for (const { id, v } of rows.slice(1)) {
        const ids = rows.slice(1).map((row) => row.id);
        const below = await find(column.table, { filter: { v: { _lt: v } }, sort: 'id' });
        const above = await find(column.table, { filter: { v: { _gte: v } }, sort: 'id' });
        expect({ v, below, above }).toEqual({
          v,
          below: ids.filter((each) => each < id),
          above: ids.filter((each) => each >= id),
        });
      }
      const all = { _between: [rows[1]?.v, rows[last - 1]?.v] };
      expect(await find(column.table, { filter: { v: all }, sort: 'id' })).toHaveLength(last - 1);
    },
  );

  it.each(columns.filter(({ isSorted }) => isSorted))('$type is sorted, null first', async (column) => {
    const ids = rowsOf(column).map(({ id }) => id);
    expect(await find(column.table, { sort: 'v' })).toEqual(ids);
    expect(await find(column.table, { sort: '-v' })).toEqual(ids.toReversed());
  });

  it.each(columns)('$type is tested for null', async (column) => {
    const [, ...rest] = rowsOf(column).map(({ id }) => id);
    expect(await find(column.table, { filter: { v: { _null: true } } })).toEqual([1]);
    expect(await find(column.table, { filter: { v: { _nnull: true } }, sort: 'id' })).toEqual(rest);
  });

  it.each(keys)('$type is followed as a foreign key', async ({ table, values }) => {
    const rows = values.map((v, index) => ({ id: index + 1, v }));
    expect(await send('POST', `k${table}`, rows)).toHaveLength(rows.length);
    expect(await send('POST', `n${table}`, rows)).toHaveLength(rows.length);
    expect(await send('GET', `k${table}?fields=id,n${table}.id&sort=id`)).toEqual(
      rows.map(({ id }) => ({ id, [`n${table}`]: [{ id }] })),
    );
  });
});

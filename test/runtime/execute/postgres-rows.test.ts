/** Values of PostgreSQL's text format as JSON, from the bytes that the server sends. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Field } from '../../../contract/collection.js';
import { createTestDatabase, type TestDatabase } from '../../databases.js';

let place: TestDatabase;
beforeAll(async () => {
  place = await createTestDatabase('postgres');
});
afterAll(() => place.drop());

const json = async (expression: string, field: Omit<Field, 'name'>): Promise<string> => {
  const layout = {
    tokens: [{ kind: 'value' as const, field: { name: 'v', ...field } }],
    keyColumns: 0,
    limit: Number.POSITIVE_INFINITY,
  };
  const { rows } = await place.database.rows({ text: `select ${expression}`, values: [] }, layout);
  return rows.bytes.toString();
};

const list = (type: Field['type'], dbType?: string): Omit<Field, 'name'> => ({
  type: 'json',
  element: { type },
  ...(dbType !== undefined && { dbType }),
});

it.each<[string, Omit<Field, 'name'>, string]>([
  ["'1.5'::float8", { type: 'float' }, '1.5'],
  ["'NaN'::float8", { type: 'float' }, '"NaN"'],
  ["'-Infinity'::real", { type: 'float' }, '"-Infinity"'],
  ["'1e300'::float8", { type: 'float' }, '1e+300'],
  ["'2026-01-02 03:04:05'::timestamp", { type: 'dateTime' }, '"2026-01-02T03:04:05"'],
  ["'2026-01-02 03:04:05'::timestamp(3)", { type: 'dateTime', fraction: 3 }, '"2026-01-02T03:04:05.000"'],
  ["'2026-01-02 03:04:05.1'::timestamp(3)", { type: 'dateTime', fraction: 3 }, '"2026-01-02T03:04:05.100"'],
  ["'2026-01-02 03:04:05.1'::timestamp", { type: 'dateTime', fraction: 6 }, '"2026-01-02T03:04:05.1"'],
  ["'2026-01-02 03:04:05.1'::timestamptz", { type: 'timestamp', fraction: 6 }, '"2026-01-02T03:04:05.1Z"'],
  ["'2026-01-02 03:04:05'::timestamptz", { type: 'timestamp', fraction: 6 }, '"2026-01-02T03:04:05Z"'],
  ["'0044-03-15 03:04:05 BC'::timestamp", { type: 'dateTime' }, '"-0043-03-15T03:04:05"'],
  ["'0044-03-15 BC'::date", { type: 'date' }, '"-0043-03-15"'],
  ["'infinity'::date", { type: 'date' }, '"infinity"'],
  ["'infinity'::timestamp", { type: 'dateTime' }, '"infinity"'],
  ["'12026-01-02 03:04:05'::timestamp", { type: 'dateTime' }, '"12026-01-02T03:04:05"'],
  ["'[0:1]={1,2}'::int[]", list('integer'), '[1,2]'],
  [`'{{1,NULL},{3,4}}'::int[]`, list('integer'), '[[1,null],[3,4]]'],
  [`array['a,b', '"', 'NULL', null, '{}', E'\\\\']`, list('text'), '["a,b","\\"","NULL",null,"{}","\\\\"]'],
  ["'{(1,1),(0,0);(2,2),(1,1)}'::box[]", list('text', 'box[]'), '["(1,1),(0,0)","(2,2),(1,1)"]'],
  ["'{NaN,1.5}'::float8[]", list('float'), '["NaN",1.5]'],
  ['true', { type: 'boolean' }, 'true'],
  ['9007199254740993::bigint', { type: 'bigInteger' }, '"9007199254740993"'],
  ['7::int', { type: 'bigInteger' }, '"7"'],
])('%s as %j is %s', async (expression, field, expected) => {
  expect(await json(expression, field)).toBe(expected);
});

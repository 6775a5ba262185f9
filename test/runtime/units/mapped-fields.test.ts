/** Fields of a snapshot in another database: what they become, and what is lost. */
import { expect, it } from 'vitest';
import { mapping as postgres } from '../../../runtime/databases/postgres/schema-mapping.js';
import { mapping as sqlite } from '../../../runtime/databases/sqlite/schema-mapping.js';
import { mapField } from '../../../runtime/schema/mapping/fields.js';
import type { MappingNotes } from '../../../runtime/schema/mapping/map-snapshot.js';
import type { SchemaMapping } from '../../../runtime/schema/mapping/types.js';
import type { FieldSchema } from '../../../runtime/schema/snapshot/types.js';
import { plainColumn } from '../../../runtime/schema/snapshot/write-fields.js';

const map = (from: SchemaMapping, to: SchemaMapping, given: Partial<FieldSchema>) => {
  const schema: FieldSchema = {
    name: 'ink',
    table: 'pen',
    data_type: 'TEXT',
    ...plainColumn(true),
    ...given,
  };
  const notes = { losses: [], collations: [], problems: [] } as unknown as MappingNotes;
  const entry = { collection: 'pen', field: 'ink', type: 'text', meta: null, schema };
  const input = { entry, schema, isKey: schema.is_primary_key };
  const mapped = mapField(input, { from, to, isSameVendor: false, notes });
  return {
    schema: mapped.entry.schema,
    losses: notes.losses.map(({ loss }) => loss),
    problems: notes.problems,
  };
};

it('a key that may be null in SQLite may not be null elsewhere', () => {
  expect(map(sqlite, postgres, { is_primary_key: true }).schema?.is_nullable).toBe(false);
  expect(map(sqlite, postgres, {}).schema?.is_nullable).toBe(true);
});

it('a default of bytes is lost, as each database writes them in its own way', () => {
  const given = { data_type: 'bytea', default_value: '\\xff', default_kind: 'literal' } as const;
  const { schema, losses } = map(postgres, sqlite, given);
  expect(schema).toMatchObject({ default_value: null, default_kind: null });
  expect(losses).toEqual(['its default']);
  expect(map(postgres, sqlite, { data_type: 'bytea' }).losses).toEqual([]);
});

it('numbers that SQLite stores in spite of a smaller type are named', () => {
  expect(map(sqlite, postgres, { data_type: 'INTEGER' }).losses).toEqual([
    expect.stringMatching(/^INTEGER becomes \w+: numbers of more than \d+ bits$/),
  ]);
});

it('a type that the other database lacks is a problem', () => {
  expect(map(postgres, sqlite, { data_type: 'tsvector' }).problems).toEqual([
    expect.stringContaining('the data_type "tsvector" of "pen.ink" has no counterpart in this database'),
  ]);
});

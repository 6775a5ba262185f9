/** Which changes of a snapshot break clients of the API. */
import { expect, it } from 'vitest';
import { mapping } from '../../../runtime/databases/postgres/schema-mapping.js';
import { findBreaking } from '../../../runtime/schema/explain/clients.js';
import type { FieldEntry, FieldSchema, Snapshot } from '../../../runtime/schema/snapshot/types.js';
import { plainColumn } from '../../../runtime/schema/snapshot/write-fields.js';

const schemaOf = (name: string, given: Partial<FieldSchema>): FieldSchema => ({
  name,
  table: 'box',
  data_type: 'integer',
  ...plainColumn(false),
  ...given,
});

const fieldOf = (
  name: string,
  given: Partial<FieldSchema> = {},
  meta: FieldEntry['meta'] = null,
): FieldEntry => ({
  collection: 'box',
  field: name,
  type: 'integer',
  meta,
  schema: schemaOf(name, given),
});

const snapshotOf = (fields: readonly FieldEntry[]): Snapshot => ({
  version: 1,
  svc: '1',
  vendor: 'sqlite',
  collections: [{ collection: 'box', meta: null, schema: { name: 'box', primary_key: ['id'] } }],
  fields: [fieldOf('id', { is_primary_key: true }), ...fields],
  systemFields: [],
  relations: [],
});

const fieldTypes = { integer: { data_type: 'integer' }, string: { data_type: 'character varying' } };

const breaks = (before: readonly FieldEntry[], after: readonly FieldEntry[]): readonly string[] =>
  findBreaking(snapshotOf(before), snapshotOf(after), { fieldTypes, mapping }).map(({ message }) => message);

it.each<[string, Partial<FieldSchema>, readonly string[]]>([
  ['without a default', {}, ['box.size is new and required on create.']],
  ['with a default', { default_value: 1 }, []],
  ['that may be null', { is_nullable: true }, []],
  ['that counts', { has_auto_increment: true }, []],
  ['that is computed', { is_generated: true }, []],
])('a new field %s', (_, schema, messages) => {
  expect(breaks([], [fieldOf('size', schema)])).toEqual(messages);
});

it('a default that is dropped makes a field required', () => {
  expect(breaks([fieldOf('size', { default_value: 1 })], [fieldOf('size')])).toEqual([
    'box.size is now required on create.',
  ]);
});

const size = (meta: FieldEntry['meta']) => [fieldOf('size', { is_nullable: true }, meta)];

it('a field that can no longer be written is narrowed', () => {
  expect(breaks(size(null), size({ readonly: true }))).toEqual(['box.size is now read-only.']);
  expect(breaks(size({ readonly: true }), size(null))).toEqual([]);
});

it.each<[string, string, string, readonly string[]]>([
  ['string', 'character varying', 'character', []],
  ['string', 'character varying', 'inet', []],
  ['string', 'character varying', 'uuid', ['box.size was a string and is now a uuid.']],
  ['string', 'character varying', 'tsvector', ['box.size was a string and is now an unknown.']],
  ['text', 'text', 'character varying', []],
  ['integer', 'integer', 'smallint', ['box.size is now limited to 16 bits (was 32).']],
  ['integer', 'smallint', 'integer', []],
  ['integer', 'integer', 'bigint', ['box.size was an integer and is now a bigInteger.']],
  ['integer', 'integer', 'integer[]', ['box.size was an integer and is now a list of integer.']],
])(
  'a %s whose column was %s and becomes %s, which the file does not say of the field',
  (type, old, wanted, found) => {
    const of = (dataType: string): FieldEntry => ({
      ...fieldOf('size', { data_type: dataType, is_nullable: true }),
      type,
    });
    expect(breaks([of(old)], [of(wanted)])).toEqual(found);
  },
);

const textOf = (type: string): FieldEntry => ({
  ...fieldOf('size', { data_type: 'text', is_nullable: true }),
  type,
});

it.each([
  ['string', 'hash'],
  ['hash', 'text'],
  ['geometry', 'geometry.Point'],
  ['geometry.Polygon', 'geometry'],
])('a field of the type %s that becomes %s breaks nobody', (old, wanted) => {
  expect(breaks([textOf(old)], [textOf(wanted)])).toEqual([]);
});

it('a field without a column that it had is removed', () => {
  const { schema: _, ...rest } = fieldOf('size', { is_nullable: true });
  for (const without of [rest, { ...rest, schema: null as never }])
    expect(breaks([fieldOf('size', { is_nullable: true })], [without])).toEqual([
      'box.size no longer exists.',
    ]);
});

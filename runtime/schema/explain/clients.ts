/** Tells which running clients a change breaks: compares the API of two snapshots. Pure. */
import {
  compareModels,
  type BreakingChange,
  type ComparedCollection,
  type ComparedField,
} from '../../../generator/model/breaking.js';
import type { FieldType } from '../../../contract/field-types.js';
import type { SchemaPrinter } from '../../databases/contract.js';
import { groupBy } from '../../../generator/introspection/order.js';
import type { CollectionEntry, FieldEntry, RelationEntry, Snapshot } from '../snapshot/types.js';
import { typeOfKind } from '../snapshot/write-fields.js';

/** The types of the columns of a database. */
type ColumnTypes = Pick<SchemaPrinter, 'fieldTypes' | 'mapping'>;

/** Returns what breaks clients of the first snapshot's API. */
export const findBreaking = (
  before: Snapshot,
  after: Snapshot,
  types: ColumnTypes,
): readonly BreakingChange[] => {
  const known = new Map(
    before.fields.map((entry) => [`${entry.collection}\0${entry.field}`, entry.schema?.data_type]),
  );
  // who changes a column in a file may leave the type of the field as it was
  const followed = after.fields.map((entry) => {
    const dataType = known.get(`${entry.collection}\0${entry.field}`);
    const isSame = dataType === undefined || dataType === entry.schema?.data_type;
    return isSame ? entry : { ...entry, type: typeOfColumn(entry, types) };
  });
  return compareModels(modelOf(before, types), modelOf({ ...after, fields: followed }, types));
};

const modelOf = (snapshot: Snapshot, types: ColumnTypes) => ({
  collections: toCollections(snapshot, types),
  operations: [],
});

const typeOfColumn = ({ type, schema }: FieldEntry, { fieldTypes, mapping }: ColumnTypes): string => {
  if (schema === undefined || schema === null) return type;
  const names = Object.keys(fieldTypes).filter((name) => fieldTypes[name]?.data_type === schema.data_type);
  if (names.includes(type)) return type;
  const neutral = mapping.toNeutral(schema);
  return names[0] ?? (neutral === null ? 'unknown' : typeOfKind(neutral));
};

const toCollections = (snapshot: Snapshot, types: ColumnTypes): readonly ComparedCollection[] => {
  const fields = groupBy(snapshot.fields, ({ collection }) => collection);
  const relations = groupBy(snapshot.relations, ({ collection }) => collection);
  return snapshot.collections
    .filter(({ schema }) => schema !== null && schema !== undefined)
    .map((entry) =>
      toCollection(entry, {
        fields: fields.get(entry.collection) ?? [],
        relations: relations.get(entry.collection) ?? [],
        types,
      }),
    );
};

interface Parts {
  readonly fields: readonly FieldEntry[];
  readonly relations: readonly RelationEntry[];
  readonly types: ColumnTypes;
}

const toCollection = (
  { collection, meta, schema }: CollectionEntry,
  { fields, relations, types }: Parts,
): ComparedCollection => ({
  name: collection,
  kind: schema?.is_view === true ? 'view' : 'table',
  key: schema?.primary_key ?? [],
  singleton: meta?.singleton === true,
  path: `/items/${collection}`,
  fields: fields.flatMap((field) => toField(field, types)),
  relations: relations.flatMap(({ field, related_collection: target }) =>
    target === null ? [] : [{ kind: 'manyToOne', name: field, target } as const],
  ),
});

/** Returns the type of a field in the API: a snapshot also names hashes, and the kind of a geometry. */
const toFieldType = (type: string): FieldType => {
  if (type === 'hash') return 'string';
  return type.startsWith('geometry.') ? 'geometry' : (type as FieldType);
};

const toField = (
  { field, type, meta, schema }: FieldEntry,
  { mapping }: ColumnTypes,
): readonly ComparedField[] => {
  if (schema === undefined || schema === null) return [];
  const neutral = mapping.toNeutral(schema);
  const isFilled = schema.has_auto_increment || schema.is_generated || schema.default_value !== null;
  return [
    {
      name: field,
      type: toFieldType(type),
      dbType: schema.data_type,
      nullable: schema.is_nullable,
      required: !schema.is_nullable && !isFilled,
      values: schema.enum_values ?? null,
      length: schema.max_length,
      precision: schema.numeric_precision,
      scale: schema.numeric_scale,
      bits: neutral?.kind === 'integer' ? neutral.bits : null,
      unsigned: / unsigned/.test(schema.data_type),
      generated: schema.is_generated,
      readonly: meta?.readonly === true,
    },
  ];
};

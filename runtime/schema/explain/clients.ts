/** Tells which running clients a change breaks: compares the API of two snapshots. Pure. */
import {
  compareModels,
  type BreakingChange,
  type ComparedCollection,
  type ComparedField,
} from '../../../generator/model/breaking.js';
import type { SchemaPrinter } from '../../databases/contract.js';
import { groupBy } from '../../../generator/introspection/order.js';
import type { CollectionEntry, FieldEntry, RelationEntry, Snapshot } from '../snapshot/types.js';

/** Returns what breaks clients of the first snapshot's API. */
export const findBreaking = (
  before: Snapshot,
  after: Snapshot,
  types: SchemaPrinter['fieldTypes'],
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
  return compareModels(modelOf(before), modelOf({ ...after, fields: followed }));
};

const modelOf = (snapshot: Snapshot) => ({ collections: toCollections(snapshot), operations: [] });

const typeOfColumn = ({ type, schema }: FieldEntry, types: SchemaPrinter['fieldTypes']): string => {
  const names = Object.keys(types).filter((name) => types[name]?.data_type === schema?.data_type);
  return names.includes(type) ? type : (names[0] ?? schema?.data_type ?? type);
};

const toCollections = (snapshot: Snapshot): readonly ComparedCollection[] => {
  const fields = groupBy(snapshot.fields, ({ collection }) => collection);
  const relations = groupBy(snapshot.relations, ({ collection }) => collection);
  return snapshot.collections
    .filter(({ schema }) => schema !== null && schema !== undefined)
    .map((entry) =>
      toCollection(entry, {
        fields: fields.get(entry.collection) ?? [],
        relations: relations.get(entry.collection) ?? [],
      }),
    );
};

const toCollection = (
  { collection, meta, schema }: CollectionEntry,
  {
    fields,
    relations,
  }: { readonly fields: readonly FieldEntry[]; readonly relations: readonly RelationEntry[] },
): ComparedCollection => ({
  name: collection,
  kind: schema?.is_view === true ? 'view' : 'table',
  key: schema?.primary_key ?? [],
  singleton: meta?.singleton === true,
  path: `/items/${collection}`,
  fields: fields.flatMap((field) => toField(field)),
  relations: relations.flatMap(({ field, related_collection: target }) =>
    target === null ? [] : [{ kind: 'manyToOne', name: field, target } as const],
  ),
});

const toField = ({ field, type, meta, schema }: FieldEntry): readonly ComparedField[] => {
  if (schema === undefined || schema === null) return [];
  const isFilled = schema.has_auto_increment || schema.is_generated || schema.default_value !== null;
  return [
    {
      name: field,
      type: type as ComparedField['type'],
      dbType: schema.data_type,
      nullable: schema.is_nullable,
      required: !schema.is_nullable && !isFilled,
      values: schema.enum_values ?? null,
      length: schema.max_length,
      precision: schema.numeric_precision,
      scale: schema.numeric_scale,
      bits: null,
      unsigned: / unsigned/.test(schema.data_type),
      generated: schema.is_generated,
      readonly: meta?.readonly === true,
    },
  ];
};

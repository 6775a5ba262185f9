/** Maps fields of a snapshot to another database. Pure. */
import { mapComment } from './comments.js';
import type { CheckEntry, FieldEntry, FieldSchema } from '../snapshot/types.js';
import type { MappingNotes } from './map-snapshot.js';
import type { MappedType, NeutralType, SchemaMapping } from './types.js';

export interface MappingInput {
  readonly entry: FieldEntry;
  readonly schema: FieldSchema;
  /** True where it is part of a key, an index or a relation. */
  readonly isKey: boolean;
}

interface FieldRules {
  readonly from: SchemaMapping;
  readonly to: SchemaMapping;
  readonly isSameVendor: boolean;
  readonly notes: MappingNotes;
}

interface MappedField {
  readonly entry: FieldEntry;
  readonly check?: CheckEntry;
}

/** Maps a field to another database, and notes what is lost. */
export const mapField = (input: MappingInput, rules: FieldRules): MappedField => {
  const { entry, schema } = input;
  const { to, notes } = rules;
  const { collection, field } = entry;
  const lose = (loss: string): void => void notes.losses.push({ collection, field, loss });
  const loseCollation = (collation: string): void =>
    void notes.collations.push({ collection, field, collation });
  const isForeign = !rules.isSameVendor || to.foreignType?.test(schema.data_type) === true;
  if (schema.srid === 0 && !to.enforcesSrid) lose('geometries of any system of coordinates, not only SRID 0');
  if (!isForeign) return { entry: { ...entry, schema: withoutForeignCollation(schema, to, loseCollation) } };
  const type = rules.from.toNeutral(schema);
  const mapped = type === null ? null : to.fromNeutral(type, contextOf(input));
  if (type === null || mapped === null) {
    notes.problems.push(
      `the data_type "${schema.data_type}" of "${collection}.${field}" has no counterpart in this database; ` +
        'take the field out of the snapshot, or give it another type',
    );
    return { entry };
  }
  const { loss, check, ...properties } = mapped;
  if (type.kind === 'integer' && type.holdsMore === true)
    lose(`${schema.data_type} becomes ${mapped.data_type}: numbers of more than ${type.bits} bits`);
  if (loss !== undefined) lose(`${schema.data_type} becomes ${mapped.data_type}: ${loss}`);
  if (rules.isSameVendor) return { entry: { ...entry, schema: { ...schema, ...noSizes, ...properties } } };
  refuseCounter(input, rules);
  return {
    entry: {
      ...entry,
      schema: {
        ...mapProperties(input, type, to, { lose, collation: loseCollation }),
        ...noSizes,
        ...properties,
      },
    },
    ...(check !== undefined && { check: toCheck(entry, check) }),
  };
};

const contextOf = ({ entry, schema, isKey }: MappingInput) => ({
  collection: entry.collection,
  field: entry.field,
  isKey,
  isCounter: schema.has_auto_increment === true,
});

const noSizes = {
  max_length: null,
  numeric_precision: null,
  numeric_scale: null,
  datetime_precision: null,
  enum_values: null,
};

/** A collation that the server lacks gives way to that of the table. */
const withoutForeignCollation = (
  schema: FieldSchema,
  { foreignCollation }: SchemaMapping,
  loseCollation: (collation: string) => void,
): FieldSchema => {
  const { collation, ...rest } = schema;
  if (typeof collation !== 'string' || foreignCollation?.test(collation) !== true) return schema;
  loseCollation(collation);
  return rest;
};

interface FieldLosses {
  readonly lose: (loss: string) => void;
  readonly collation: (name: string) => void;
}

/** Maps what does not belong to the type. */
const mapProperties = (
  { schema }: MappingInput,
  type: NeutralType,
  to: SchemaMapping,
  losses: FieldLosses,
): FieldSchema => {
  const { lose } = losses;
  const { collation, is_invisible: isInvisible, ...rest } = schema;
  if (typeof collation === 'string') losses.collation(collation);
  if (isInvisible === true && !to.hasInvisibleColumns) lose('it is in the results of select *');
  const comment = mapComment(schema.comment, to, lose);
  if (!to.hasOnUpdate && typeof schema.on_update === 'string') lose('updates do not set the time');
  // bytes have a notation of their own in each database
  const hasBytes = type.kind === 'binary' && schema.default_value !== null;
  if (hasBytes) lose('its default');
  return {
    ...rest,
    ...(isInvisible === true && to.hasInvisibleColumns && { is_invisible: true }),
    comment: to.hasComments ? comment : null,
    on_update: to.hasOnUpdate ? (schema.on_update ?? null) : null,
    ...(hasBytes && { default_value: null, default_kind: null }),
    is_nullable: schema.is_nullable && (to.hasNullableKeys || schema.is_primary_key !== true),
    auto_increment_kind: schema.has_auto_increment === true ? to.counter : null,
    ...(schema.is_generated === true && !to.hasVirtualColumns && { generation_kind: 'stored' as const }),
  };
};

const refuseCounter = ({ entry, schema, isKey }: MappingInput, { to, notes }: FieldRules): void => {
  if (schema.has_auto_increment !== true || to.counters === 'any') return;
  if (to.counters === 'key' ? isKey : schema.is_primary_key === true) return;
  notes.problems.push(
    `"${entry.collection}.${entry.field}" counts without being ${to.counters === 'key' ? 'a key' : 'the primary key'}, ` +
      'which this database lacks; take has_auto_increment out of the snapshot',
  );
};

const quote = (name: string): string => `"${name.replaceAll('"', '""')}"`;
const quoteText = (text: string): string => `'${text.replaceAll("'", "''")}'`;

const toCheck = ({ collection, field }: FieldEntry, check: NonNullable<MappedType['check']>): CheckEntry => ({
  name: `${collection}_${field}_check`,
  expression:
    'least' in check
      ? `${quote(field)} >= ${check.least}`
      : `${quote(field)} in (${check.values.map(quoteText).join(', ')})`,
});

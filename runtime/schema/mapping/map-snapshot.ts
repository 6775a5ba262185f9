/**
 * Maps the snapshot of another database to what the target can have: types, keys, indexes and relations. What the target
 * holds otherwise is listed as a loss, what it cannot hold as a problem. Pure.
 */
import { groupBy } from '../../../generator/introspection/order.js';
import type { SchemaPrinter } from '../../databases/contract.js';
import type { Snapshot } from '../snapshot/types.js';
import { mapField, type MappingInput } from './fields.js';
import { mapCollection } from './keys.js';
import { uniqueNames } from './names.js';
import { mapRelation } from './relations.js';
import type { SchemaMapping } from './types.js';

/** A property of the snapshot that the target does not hold. */
export interface Loss {
  readonly collection: string;
  /** Absent for what belongs to the collection. */
  readonly field?: string;
  readonly loss: string;
}

export interface MappedSnapshot {
  readonly snapshot: Snapshot;
  readonly losses: readonly Loss[];
  /** Sentences about what cannot be mapped. */
  readonly problems: readonly string[];
}

export interface MappingPair {
  /** Printer of the snapshot's database. */
  readonly from: SchemaPrinter;
  /** Printer of the target. */
  readonly to: SchemaPrinter;
  /** True where both have the same vendor, so that only what the target's server lacks is mapped. */
  readonly isSameVendor: boolean;
}

/** Collects what a mapping finds. */
export interface MappingNotes {
  readonly losses: Loss[];
  readonly problems: string[];
  /** Collations that are lost, which many fields may share. */
  readonly collations: { readonly collection: string; readonly field: string; readonly collation: string }[];
}

/** Maps a snapshot to another database, with what is lost and what cannot be mapped. */
export const mapSnapshot = (given: Snapshot, { from, to, isSameVendor }: MappingPair): MappedSnapshot => {
  const notes: MappingNotes = { losses: [], problems: [], collations: [] };
  const tables = new Set(
    given.collections
      .filter(({ schema }) => schema !== null && schema !== undefined && schema.is_view !== true)
      .map(({ collection }) => collection),
  );
  const keys = keyedFields(given);
  const checks = new Map<string, { readonly name: string; readonly expression: string }[]>();
  const fields = given.fields.map((entry) => {
    const { schema } = entry;
    if (schema === undefined || schema === null || !tables.has(entry.collection)) return entry;
    const input: MappingInput = { entry, schema, isKey: keys.has(fieldId(entry.collection, entry.field)) };
    const mapped = mapField(input, { from: from.mapping, to: to.mapping, isSameVendor, notes });
    if (mapped.check !== undefined)
      checks.set(entry.collection, [...(checks.get(entry.collection) ?? []), mapped.check]);
    return mapped.entry;
  });
  const rules = { to: to.mapping, isSameVendor, notes };
  const collections = given.collections.map((entry) =>
    tables.has(entry.collection) ? mapCollection(entry, checks.get(entry.collection) ?? [], rules) : entry,
  );
  const relations = given.relations.map((entry) => mapRelation(entry, rules));
  const snapshot = { ...given, collections, fields, relations };
  return {
    snapshot: isSameVendor ? snapshot : uniqueNames(snapshot, to.mapping),
    losses: [...notes.losses, ...collationLosses(notes)],
    problems: notes.problems,
  };
};

/** Returns one loss for all fields of a collection that have the same collation. */
const collationLosses = ({ collations }: MappingNotes): readonly Loss[] =>
  [...groupBy(collations, ({ collection, collation }) => `${collection}\0${collation}`).values()].map(
    (group) => {
      const [{ collection = '', collation = '' } = {}] = group;
      const fields = group.map(({ field }) => field).join(', ');
      return { collection, loss: `the collation ${collation} of ${fields} becomes the usual one` };
    },
  );

export interface MappingRules {
  readonly to: SchemaMapping;
  readonly isSameVendor: boolean;
  readonly notes: MappingNotes;
}

const fieldId = (collection: string, field: string): string => `${collection}\0${field}`;

/** Returns the fields that are part of a key, an index or a relation, or that one refers to. */
const keyedFields = ({ collections, fields, relations }: Snapshot): ReadonlySet<string> =>
  new Set([
    ...collections.flatMap(({ collection, schema }) =>
      [
        ...(schema?.primary_key ?? []),
        ...(schema?.uniques ?? []).flatMap(({ columns }) => columns),
        ...(schema?.indexes ?? [])
          .filter(({ method }) => method === undefined || method === 'hash')
          .flatMap(({ columns }) =>
            columns.map((part) =>
              typeof part === 'string' ? part : part.length === undefined ? part.column : undefined,
            ),
          ),
      ].flatMap((field) => (field === undefined ? [] : [fieldId(collection, field)])),
    ),
    ...fields
      .filter(({ schema }) => schema?.is_unique === true || schema?.is_primary_key === true)
      .map(({ collection, field }) => fieldId(collection, field)),
    ...relations.flatMap(({ collection, field, schema }) =>
      schema === null || schema === undefined
        ? []
        : [
            ...(schema.columns ?? [schema.column ?? field]).map((column) => fieldId(collection, column)),
            ...(schema.references ?? [schema.foreign_key_column]).map((column) =>
              fieldId(schema.foreign_key_table, column),
            ),
          ],
    ),
  ]);

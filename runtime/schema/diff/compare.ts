/** Compares the snapshot of a target with the one that is wanted. Pure. */
import { throwProblems } from '../../../contract/errors.js';
import { compareAccess } from '../access-rows/compare.js';
import { accessOf } from '../access-rows/types.js';
import { notNull } from '../snapshot/meta.js';
import type { CollectionEntry, FieldEntry, Meta, RelationEntry, Snapshot } from '../snapshot/types.js';
import { findContradictions } from './contradictions.js';
import { addMissing } from './merge.js';
import {
  applyRenames,
  findRenames,
  followPreviousNames,
  withoutPreviousNames,
  type Renames,
} from './renames.js';
import type { AccessDiff, Change, SchemaDiff } from './types.js';
import { compareValues, isEqual } from './values.js';

export interface CompareOptions {
  /** `merge` deletes nothing. */
  readonly mode: 'mirror' | 'merge';
  /** Brings the schemas of a snapshot into the form of the target's. */
  normalize(snapshot: Snapshot, current: Snapshot): Snapshot;
}

/** Returns what makes the target the wanted snapshot. @throws INVALID_PAYLOAD for what the snapshot says in two ways */
export const compareSnapshots = (
  target: Snapshot,
  sent: Snapshot,
  { mode, normalize }: CompareOptions,
): SchemaDiff => {
  const given = followPreviousNames(sent);
  const renames = findRenames(target, given);
  throwProblems(findContradictions(target, given, renames));
  const current = applyRenames(target, renames);
  const wanted = withoutPreviousNames(given);
  const complete = withTargets(mode === 'merge' ? addMissing(wanted, current) : wanted);
  const normal = normalize(complete, current);
  const deleted = new Set(
    current.collections.map(({ collection }) => collection).filter((name) => !hasCollection(complete, name)),
  );
  return {
    collections: compareCollections(current, { complete, normal }, renames),
    fields: compareFields(current, { complete, normal }, { renames, deleted }),
    systemFields: [],
    relations: compareRelations(current, { complete, normal }, deleted),
    ...compareAccessParts(target, given, mode),
  };
};

/** A relation without a foreign key has what it leads to in its meta. */
const withTargets = (snapshot: Snapshot): Snapshot => ({
  ...snapshot,
  relations: snapshot.relations.map((entry) => {
    const { schema, meta, related_collection: related } = entry;
    const hasKey = schema !== null && schema !== undefined;
    return hasKey || related === null ? entry : { ...entry, meta: { ...meta, one_collection: related } };
  }),
});

/** A snapshot without these lists says nothing about them. */
const compareAccessParts = (
  target: Snapshot,
  given: Snapshot,
  mode: CompareOptions['mode'],
): Partial<AccessDiff> => {
  const [old, wanted] = [accessOf(target), accessOf(given)];
  return old === null || wanted === null ? {} : compareAccess(old, wanted, mode);
};

const hasCollection = ({ collections }: Snapshot, name: string): boolean =>
  collections.some(({ collection }) => collection === name);

const fieldId = ({ collection, field }: Pick<FieldEntry, 'collection' | 'field'>): string =>
  `${collection}\0${field}`;

interface Wanted {
  /** Entries as they were sent. */
  readonly complete: Snapshot;
  /** The same entries with normalized schemas. */
  readonly normal: Snapshot;
}

const compareCollections = (
  current: Snapshot,
  { complete, normal }: Wanted,
  { collections: renamed }: Renames,
): SchemaDiff['collections'] => {
  const present = new Map(current.collections.map((entry) => [entry.collection, entry]));
  const changed = complete.collections.map((entry, at) => {
    const { collection } = entry;
    const before = present.get(collection);
    if (before === undefined) return { collection, diff: [{ kind: 'N', rhs: entry }] satisfies Change[] };
    const after = normal.collections[at] ?? entry;
    const diff = [
      ...renameChange(renamed.get(collection), ['collection'], collection),
      ...compareEntries(before, after),
    ];
    return { collection, diff };
  });
  const names = new Set(complete.collections.map(({ collection }) => collection));
  const dropped = current.collections
    .filter(({ collection }) => !names.has(collection))
    .map((entry) => ({ collection: entry.collection, diff: [{ kind: 'D', lhs: entry }] satisfies Change[] }));
  return [...changed, ...dropped].filter(({ diff }) => diff.length > 0);
};

const renameChange = (from: string | undefined, path: readonly string[], to: string): readonly Change[] =>
  from === undefined ? [] : [{ kind: 'E', path, lhs: from, rhs: to }];

type Entry = Pick<CollectionEntry, 'meta'> & { readonly schema?: object | null; readonly type?: string };

const compareEntries = (
  before: Entry,
  after: Entry,
  compareSchema: typeof compareSchemas = compareSchemas,
): readonly Change[] => {
  const changes = [...compareMeta(before.meta, after.meta), ...compareSchema(before.schema, after.schema)];
  // the type follows from column and meta, so that alone it is no change
  const follows = changes.length === 0 && hasSchema(before) && hasSchema(after);
  return follows || before.type === after.type
    ? changes
    : [...compareValues(before.type, after.type, ['type']), ...changes];
};

const hasSchema = ({ schema }: Entry): boolean => schema !== undefined && schema !== null;

/** Keys that one side lacks are null there. */
const compareMeta = (before: Meta | null | undefined, after: Meta | null | undefined): readonly Change[] => {
  const [lhs, rhs] = [before ?? null, after ?? null];
  // what is left where `previous_name` was all that an edit said
  if (lhs === null && rhs !== null && Object.keys(rhs).length === 0) return [];
  if (lhs === null || rhs === null) return isEqual(lhs, rhs) ? [] : [{ kind: 'E', path: ['meta'], lhs, rhs }];
  const [old, wanted] = [withUsual(lhs, rhs), withUsual(rhs, lhs)];
  return compareValues(dropNulls(old, wanted), dropNulls(wanted, old), ['meta']);
};

/** Fills in what a key that one side lacks, or has as null, is stored as. */
const withUsual = (meta: Meta, other: Meta): Meta => ({
  ...meta,
  ...Object.fromEntries(
    Object.entries(notNull)
      .filter(([key]) => key in meta || key in other)
      .map(([key, value]) => [key, meta[key] ?? value]),
  ),
});

/** Keys of meta that repeat what the entry says. */
const repeated: ReadonlySet<string> = new Set(['id', 'collection', 'field', 'many_collection', 'many_field']);

/** Drops nulls for which the other side has no key, and keys that repeat the entry's. */
const dropNulls = (meta: Meta, other: Meta): Meta =>
  Object.fromEntries(
    Object.entries(meta).filter(([key, value]) => !repeated.has(key) && (value !== null || key in other)),
  );

/** Lists of keys, indexes and checks change as a whole. */
const compareSchemas = (
  before: object | null | undefined,
  after: object | null | undefined,
  ignore: (key: string, lhs: Meta, rhs: Meta) => boolean = () => false,
): readonly Change[] => {
  const [lhs, rhs] = [before ?? null, after ?? null] as (Meta | null)[];
  if (lhs === null || rhs === null || lhs === undefined || rhs === undefined) {
    return isEqual(lhs, rhs) ? [] : [{ kind: 'E', path: ['schema'], lhs, rhs }];
  }
  const keys = [...new Set([...Object.keys(lhs), ...Object.keys(rhs)])];
  return keys
    .filter((key) => !isEqual(lhs[key], rhs[key]) && !ignore(key, lhs, rhs))
    .map((key) => ({ kind: 'E', path: ['schema', key], lhs: lhs[key] ?? null, rhs: rhs[key] ?? null }));
};

/** Returns whether a key of a field follows from a relation: its target, and the index that belongs to it. */
const follows = (key: string, lhs: Meta, rhs: Meta): boolean =>
  key === 'foreign_key_table' ||
  key === 'foreign_key_column' ||
  (key === 'is_indexed' && !isEqual(lhs.foreign_key_table, rhs.foreign_key_table));

const compareColumns: typeof compareSchemas = (before, after) => compareSchemas(before, after, follows);

interface FieldScope {
  readonly renames: Renames;
  /** Collections that go with all that is theirs. */
  readonly deleted: ReadonlySet<string>;
}

const compareFields = (
  current: Snapshot,
  { complete, normal }: Wanted,
  { renames, deleted }: FieldScope,
): SchemaDiff['fields'] => {
  const present = new Map(current.fields.map((entry) => [fieldId(entry), entry]));
  const changed = complete.fields.map((entry, at) => {
    const { collection, field } = entry;
    const before = present.get(fieldId(entry));
    if (before === undefined)
      return { collection, field, diff: [{ kind: 'N', rhs: withoutNullSchema(entry) }] satisfies Change[] };
    const after = normal.fields[at] ?? entry;
    const from = renames.fields.get(fieldId(entry));
    return {
      collection,
      field,
      diff: [...renameChange(from, ['field'], field), ...compareEntries(before, after, compareColumns)],
    };
  });
  const ids = new Set(complete.fields.map(fieldId));
  const dropped = current.fields
    .filter((entry) => !ids.has(fieldId(entry)) && !deleted.has(entry.collection))
    .map((entry) => ({
      collection: entry.collection,
      field: entry.field,
      diff: [{ kind: 'D', lhs: entry }] satisfies Change[],
    }));
  return [...changed, ...dropped].filter(({ diff }) => diff.length > 0);
};

/** A field without a column has no schema. */
const withoutNullSchema = (entry: FieldEntry): FieldEntry => {
  const { schema, ...rest } = entry;
  return schema === null || schema === undefined ? rest : entry;
};

const compareRelations = (
  current: Snapshot,
  { complete, normal }: Wanted,
  deleted: ReadonlySet<string>,
): SchemaDiff['relations'] => {
  const present = new Map(current.relations.map((entry) => [fieldId(entry), entry]));
  const changed = complete.relations.map((entry, at) => {
    const before = present.get(fieldId(entry));
    if (before === undefined) return toRelationChange(entry, [{ kind: 'N', rhs: entry }]);
    const after = normal.relations[at] ?? entry;
    return toRelationChange(entry, [
      ...(before.related_collection === after.related_collection
        ? []
        : compareValues(before.related_collection, after.related_collection, ['related_collection'])),
      ...compareEntries(before, after),
    ]);
  });
  const ids = new Set(complete.relations.map(fieldId));
  const dropped = current.relations
    .filter((entry) => !ids.has(fieldId(entry)) && !deleted.has(entry.collection))
    .map((entry) => toRelationChange(entry, [{ kind: 'D', lhs: entry }]));
  return [...changed, ...dropped].filter(({ diff }) => diff.length > 0);
};

const toRelationChange = (
  { collection, field, related_collection }: RelationEntry,
  diff: readonly Change[],
): SchemaDiff['relations'][number] => ({ collection, field, related_collection, diff });

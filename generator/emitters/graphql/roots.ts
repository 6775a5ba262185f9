/** Defines the fields of `Query` and `Mutation` for one collection. */
import type { Collection } from '../../model/types.js';
import type { ArgumentDefinition, FieldDefinition } from '../../print/graphql.js';
import type { Context, Subject } from './context.js';
import { stemOf } from './names.js';

export interface Roots {
  readonly queries: readonly FieldDefinition[];
  readonly mutations: readonly FieldDefinition[];
}

/** Returns the argument `filter` of a list, as a list of arguments to be joined with others. */
export const filterArgument = (target: Collection, context: Context): readonly ArgumentDefinition[] => [
  { name: 'filter', type: context.typesOf(target).filter },
];

/** Returns the query parameters as arguments, except for those that a selection replaces. */
export const listArguments = (target: Collection, context: Context): readonly ArgumentDefinition[] => [
  ...filterArgument(target, context),
  sort,
  { name: 'limit', type: 'Int' },
  { name: 'offset', type: 'Int' },
  { name: 'page', type: 'Int' },
  { name: 'search', type: 'String' },
];

/** Returns the query parameters of an aggregation as arguments, except for those that a selection replaces. */
export const groupArguments = (target: Collection, context: Context): readonly ArgumentDefinition[] => [
  { name: 'groupBy', type: '[String]' },
  { name: 'having', type: 'JSON' },
  ...listArguments(target, context),
];

/** Zone in which date functions read timestamps. */
const timezone: ArgumentDefinition = { name: 'timezone', type: 'String' };
/** Cursor of the previous page. */
const after: ArgumentDefinition = { name: 'after', type: 'String' };
const meta: ArgumentDefinition = { name: 'meta', type: '[String]' };
const sort: ArgumentDefinition = { name: 'sort', type: '[String]' };
/** `etag`: the entity tag of the item, for `ifMatch`. */
const itemMeta: ArgumentDefinition = { name: 'meta', type: '[String]' };
/** The argument of a write that is only tried. */
export const dryRun: ArgumentDefinition = { name: 'dry_run', type: 'Boolean' };
/** The entity tag of the item as it was read. */
const ifMatch: ArgumentDefinition = { name: 'ifMatch', type: 'String' };
/** A unique constraint: its fields, or its name. */
const conflict: ArgumentDefinition = { name: 'conflict', type: '[String!]' };
const onConflict: readonly ArgumentDefinition[] = [
  { name: 'on_conflict', type: 'conflict_action' },
  conflict,
];
const id: ArgumentDefinition = { name: 'id', type: 'ID!' };
/** Has a default so that a nullable variable is valid too. */
const ids: ArgumentDefinition = { name: 'ids', type: '[ID!]!', fallback: '[]' };

/**
 * Returns the root fields of a collection. Views and tables without a key have a list only; read-only
 * collections and those without a path have no mutations.
 */
export const collectionRoots = (collection: Collection, context: Context): Roots => {
  if (collection.path === null) return { queries: [], mutations: [] };
  const subject = { collection, context, stem: stemOf(collection), item: context.typesOf(collection).item };
  const lists = [list(subject), aggregated(subject)];
  if (collection.key.length === 0) return { queries: lists, mutations: [] };
  if (collection.readonly) return { queries: [...lists, byId(subject)], mutations: [] };
  return collection.singleton
    ? {
        queries: [singleton(subject), byId(subject)],
        mutations: [updateSingleton(subject), deleteItem(subject)],
      }
    : { queries: [...lists, byId(subject)], mutations: writes(subject) };
};

/** A collection whose root fields are defined. */
interface RootSubject extends Subject {
  /** Common part of the names of its fields. */
  readonly stem: string;
  /** Type of its items. */
  readonly item: string;
}

type RootField = Pick<FieldDefinition, 'name' | 'type' | 'arguments' | 'note'>;

const root = ({ collection }: Subject, action: string, field: RootField): FieldDefinition => ({
  ...field,
  directives: { collection: collection.name, action },
});

const list = (subject: RootSubject): FieldDefinition =>
  root(subject, 'list', {
    name: subject.stem,
    arguments: [...listArguments(subject.collection, subject.context), after, meta, timezone],
    // nullable, so that a list that fails does not take the others with it
    type: `[${subject.item}!]`,
  });

const aggregated = (subject: RootSubject): FieldDefinition =>
  root(subject, 'aggregate', {
    name: `${subject.stem}_aggregated`,
    arguments: [...groupArguments(subject.collection, subject.context), meta, timezone],
    type: `[${subject.context.typesOf(subject.collection).aggregated}!]`,
  });

const byId = (subject: RootSubject): FieldDefinition =>
  root(subject, 'item', {
    name: `${subject.stem}_by_id`,
    arguments: [id, itemMeta, timezone],
    type: subject.item,
  });

const singleton = (subject: RootSubject): FieldDefinition =>
  root(subject, 'singleton', {
    name: subject.stem,
    arguments: [itemMeta, timezone],
    type: subject.item,
  });

const updateSingleton = (subject: RootSubject): FieldDefinition =>
  root(subject, 'updateSingleton', {
    name: `update_${subject.stem}`,
    arguments: [
      { name: 'data', type: `${subject.context.typesOf(subject.collection).update}!` },
      ifMatch,
      dryRun,
    ],
    type: subject.item,
  });

const deleteItem = (subject: RootSubject): FieldDefinition =>
  root(subject, 'deleteItem', {
    name: `delete_${subject.stem}_item`,
    arguments: [id, ifMatch, dryRun],
    type: 'delete_one',
  });

const writes = (subject: RootSubject): readonly FieldDefinition[] => {
  const { collection, context, stem, item } = subject;
  const { create, update, related } = context.typesOf(collection);
  const selection = listArguments(collection, context);
  return [
    root(subject, 'create', {
      name: `create_${stem}_item`,
      arguments: [{ name: 'data', type: `${create}!` }, ...onConflict, dryRun],
      type: item,
    }),
    root(subject, 'createMany', {
      name: `create_${stem}_items`,
      arguments: [{ name: 'data', type: `[${create}!]!`, fallback: '[]' }, sort, ...onConflict, dryRun],
      type: `[${item}!]`,
    }),
    root(subject, 'upsertMany', {
      name: `upsert_${stem}_items`,
      note: 'Changes the items that exist already, by their key or by the fields of `conflict`, and creates the others, which alone need the required fields. `extensions.meta` says what happened to each.',
      arguments: [{ name: 'data', type: `[${related}!]!`, fallback: '[]' }, sort, conflict, dryRun],
      type: `[${item}!]`,
    }),
    root(subject, 'update', {
      name: `update_${stem}_item`,
      arguments: [id, { name: 'data', type: update }, ifMatch, dryRun],
      type: item,
    }),
    root(subject, 'updateMany', {
      name: `update_${stem}_items`,
      note: 'Selects the items by `ids`; if there are none, by the other arguments.',
      arguments: [ids, { name: 'data', type: update }, ...selection, dryRun],
      type: `[${item}!]`,
    }),
    root(subject, 'updateBatch', {
      name: `update_${stem}_batch`,
      arguments: [{ name: 'data', type: `[${update}!]` }, sort, dryRun],
      type: `[${item}!]`,
    }),
    deleteItem(subject),
    root(subject, 'deleteMany', {
      name: `delete_${stem}_items`,
      note: 'Selects the items by `ids`; if there are none, by the other arguments.',
      arguments: [ids, ...selection, dryRun],
      type: 'delete_many',
    }),
  ];
};

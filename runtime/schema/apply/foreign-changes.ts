/** Finds what others have changed since an apply began: what it would still change, though its diff does not ask for that. Pure. */
import { accessLists } from '../access-rows/types.js';
import { compareSnapshots } from '../diff/compare.js';
import { normalizeSnapshot } from '../diff/normalize.js';
import { renamesIn } from '../diff/patch.js';
import { applyRenames, type Renames } from '../diff/renames.js';
import type { Change, SchemaDiff } from '../diff/types.js';
import { isEqual } from '../diff/values.js';
import type { Snapshot } from '../snapshot/types.js';
import type { Target } from '../target.js';

interface Begun {
  readonly wanted: Snapshot;
  readonly diff: SchemaDiff;
  /** Renames that are still to be done. */
  readonly pending: Renames;
}

/** Returns what others have changed, in words. */
export const findForeignChanges = (
  { live, target }: Target,
  { wanted, diff, pending }: Begun,
): readonly string[] => {
  const rest = compareSnapshots(applyRenames(target, pending), wanted, {
    mode: 'mirror',
    normalize: (sent, current) => normalizeSnapshot(sent, current, live),
  });
  const context = contextOf(wanted, diff);
  return [
    ...foreignEntries(rest.collections, diff.collections, { ...context, id: (entry) => entry.collection }),
    ...foreignEntries(rest.fields, diff.fields, { ...context, id: fieldId }),
    ...foreignRelations(rest, diff, context),
    ...accessLists.flatMap((list) =>
      (rest[list] ?? [])
        .filter((entry) => !(diff[list] ?? []).some((asked) => isEqual(asked, entry)))
        .map(({ id }) => `${list} "${id}"`),
    ),
  ];
};

interface Context {
  /** Collections and fields before their renames. */
  readonly former: ReadonlySet<string>;
  /** Returns whether rows of meta may still have names that tables have no more: they are written last. */
  isRenaming(collection: string): boolean;
  /** Names of foreign keys, which their indexes have on some databases. */
  readonly keys: ReadonlySet<unknown>;
}

const contextOf = ({ relations }: Snapshot, diff: SchemaDiff): Context => {
  const { collections, fields } = renamesIn(diff);
  const schemas = [
    ...relations.map(({ schema }) => schema),
    ...diff.relations.flatMap((entry) => entry.diff.map((change) => ('lhs' in change ? change.lhs : null))),
  ] as readonly ({ readonly constraint_name?: unknown; readonly schema?: unknown } | null)[];
  return {
    former: new Set([
      ...collections.values(),
      ...[...fields].map(([id, from]) => `${id.split('\0')[0] ?? ''}.${from}`),
    ]),
    isRenaming: (collection) =>
      collections.size > 0 || [...fields.keys()].some((id) => id.startsWith(`${collection}\0`)),
    keys: new Set(schemas.flatMap(constraintsOf)),
  };
};

/** Returns the name of the foreign key of a schema, of a whole entry, or the name itself. */
const constraintsOf = (value: unknown): readonly unknown[] => {
  if (typeof value === 'string') return [value];
  const { constraint_name: name, schema } = (value ?? {}) as {
    readonly constraint_name?: unknown;
    readonly schema?: unknown;
  };
  return [...(name === undefined ? [] : [name]), ...(schema === undefined ? [] : constraintsOf(schema))];
};

interface Entry {
  readonly collection: string;
  readonly diff: readonly Change[];
}

const fieldId = ({ collection, field }: { readonly collection: string; readonly field: string }): string =>
  `${collection}.${field}`;

const foreignEntries = <Each extends Entry>(
  rest: readonly Each[],
  asked: readonly Each[],
  { id, ...context }: Context & { readonly id: (entry: Each) => string },
): readonly string[] => {
  const changes = new Map(asked.map((entry) => [id(entry), entry.diff]));
  return rest.flatMap((entry) => {
    const name = id(entry);
    if (context.former.has(name)) return [];
    const isRenaming = context.isRenaming(entry.collection);
    const found = entry.diff.flatMap((change) =>
      foreignChange(change, changes.get(name) ?? [], { ...context, isRenaming }),
    );
    return [...new Set(found.map((what) => (what === '' ? `"${name}"` : `${what} of "${name}"`)))];
  });
};

/** Keys that follow from other changes, or that no apply changes. */
const following: ReadonlySet<unknown> = new Set(['is_indexed', 'is_unique', 'is_primary_key', 'incomplete']);

const lists: Readonly<Record<string, string>> = {
  uniques: 'unique constraint',
  indexes: 'index',
  checks: 'check',
};

const keyOf = ({ path = [] }: Change): string => JSON.stringify(path);
const isWhole = ({ path = [] }: Change): boolean => path.length === 0;

/** Returns what of an entry others have changed; empty text for the entry itself. */
const foreignChange = (
  change: Change,
  asked: readonly Change[],
  { isRenaming, keys }: Pick<Context, 'keys'> & { readonly isRenaming: boolean },
): readonly string[] => {
  const [part, key] = change.path ?? [];
  if (part === 'type' || following.has(key)) return [];
  const isNew = asked.some((other) => isWhole(other) && other.kind === 'N');
  const same = asked.find((other) => keyOf(other) === keyOf(change));
  if (isWhole(change)) {
    const hasColumn = change.kind !== 'N' || hasSchema(change.rhs);
    return same?.kind === change.kind || (isRenaming && !hasColumn) ? [] : [''];
  }
  if (part === 'meta') {
    // rows of meta are written last
    const isPending = (isNew && change.kind === 'E' && change.lhs === null) || isRenaming;
    return isPending || asked.some((other) => isEqual(other, change)) ? [] : [''];
  }
  const list = lists[String(key)];
  if (list !== undefined && change.kind === 'E') return foreignItems(change, same, { list, keys });
  return same?.kind === change.kind && 'lhs' in change && isEqual(lhsOf(same), change.lhs) ? [] : [''];
};

const lhsOf = (change: Change): unknown => ('lhs' in change ? change.lhs : undefined);

const hasSchema = (entry: unknown): boolean =>
  ((entry as { readonly schema?: unknown } | null)?.schema ?? null) !== null;

interface Item {
  readonly name: string;
}

const itemsOf = (value: unknown): readonly Item[] => (Array.isArray(value) ? (value as Item[]) : []);

const has = (items: readonly Item[] | undefined, item: Item): boolean =>
  (items ?? []).some((other) => isEqual(other, item));

/** Returns the items of a list that the diff neither adds nor drops, and those that both sides have and the table lacks. */
const foreignItems = (
  { lhs, rhs }: Extract<Change, { kind: 'E' }>,
  asked: Change | undefined,
  { list, keys }: Pick<Context, 'keys'> & { readonly list: string },
): readonly string[] => {
  const [before, after] = asked?.kind === 'E' ? [asked.lhs, asked.rhs].map(itemsOf) : [rhs, rhs].map(itemsOf);
  const present = itemsOf(lhs);
  const added = present.filter((item) => !has(before, item) && !has(after, item) && !keys.has(item.name));
  const gone = (before ?? []).filter((item) => has(after, item) && !has(present, item));
  return [...new Set([...added, ...gone].map(({ name }) => `${list} "${name}"`))];
};

/** A key that is dropped and added again because a column changes is no change of others. */
const foreignRelations = (rest: SchemaDiff, diff: SchemaDiff, { isRenaming }: Context): readonly string[] => {
  const named = new Set([...diff.collections, ...diff.fields].map(({ collection }) => collection));
  const asked = new Map(diff.relations.map((entry) => [fieldId(entry), entry.diff]));
  return rest.relations
    .filter((entry) => {
      const ends = [entry.collection, entry.related_collection ?? ''];
      return !asked.has(fieldId(entry)) && !ends.some((name) => named.has(name) || isRenaming(name));
    })
    .map((entry) => `the relation "${fieldId(entry)}"`);
};

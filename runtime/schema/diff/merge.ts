/** Completes a snapshot by what the target has, so that `mode=merge` deletes nothing. Pure. */
import type { CollectionSchema, Meta, Snapshot } from '../snapshot/types.js';
import { isEqual } from './values.js';

/** Adds the entries of the target that a snapshot lacks, and to its own entries what they lack. */
export const addMissing = (wanted: Snapshot, current: Snapshot): Snapshot => ({
  ...wanted,
  collections: mergeEntries(wanted.collections, current.collections, withLists),
  fields: mergeEntries(wanted.fields, current.fields, orOther),
  relations: mergeEntries(wanted.relations, current.relations, orOther),
});

interface Entry<Schema> {
  readonly collection: string;
  readonly field?: string;
  readonly meta: Meta | null;
  readonly schema?: Schema;
}

type Merge<Schema> = (own: Schema | undefined, other: Schema | undefined) => Schema | undefined;

/** A part that is null, or lacks keys of meta, says nothing about what the target has. */
const mergeEntries = <Schema, Each extends Entry<Schema>>(
  items: readonly Each[],
  others: readonly Each[],
  merge: Merge<Each['schema']>,
): readonly Each[] => {
  const id = ({ collection, field }: Each): string => JSON.stringify([collection, field]);
  const present = new Map(others.map((entry) => [id(entry), entry]));
  const ids = new Set(items.map(id));
  const complete = (entry: Each): Each => {
    const before = present.get(id(entry));
    if (before === undefined) return entry;
    const schema = merge(entry.schema, before.schema);
    const meta = before.meta || entry.meta ? { ...before.meta, ...entry.meta } : null;
    return { ...entry, ...(schema !== undefined && { schema }), meta };
  };
  return [...items.map(complete), ...others.filter((entry) => !ids.has(id(entry)))];
};

const orOther = <Value>(own: Value, other: Value): Value => own ?? other;

interface Named {
  readonly name: string;
}

/** Adds the constraints and indexes of the target, unless the snapshot has one of the name or with the content. */
const withLists = (
  own: CollectionSchema | null | undefined,
  other: CollectionSchema | null | undefined,
): CollectionSchema | null | undefined => {
  if (!own || !other) return own ?? other;
  const added = (['uniques', 'indexes', 'checks'] as const).flatMap((key) => {
    const kept: readonly Named[] = own[key] ?? [];
    const isKnown = (item: Named): boolean =>
      kept.some((each) => each.name === item.name || isEqual({ ...each, name: item.name }, item));
    const present: readonly Named[] | undefined = other[key];
    return present === undefined ? [] : [[key, [...kept, ...present.filter((item) => !isKnown(item))]]];
  });
  return { ...own, ...(Object.fromEntries(added) as Partial<CollectionSchema>) };
};

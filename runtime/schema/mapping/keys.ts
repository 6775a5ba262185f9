/** Maps indexes, checks and comments of collections to another database. Pure. */
import { mapComment } from './comments.js';
import type { CheckEntry, CollectionEntry, CollectionSchema, IndexEntry } from '../snapshot/types.js';
import type { MappingRules } from './map-snapshot.js';

/**
 * Maps a collection to another database, and notes what is lost.
 * @param checks those that stand for types
 */
export const mapCollection = (
  entry: CollectionEntry,
  checks: readonly CheckEntry[],
  { to, isSameVendor, notes }: MappingRules,
): CollectionEntry => {
  const { collection } = entry;
  const lose = (loss: string): void => void notes.losses.push({ collection, loss });
  const given = entry.schema as CollectionSchema;
  const indexes = given.indexes?.flatMap((index) =>
    mapIndex(index, { traits: to.indexes, isSameVendor, lose }),
  );
  const kept = given.checks?.filter(({ name, enforced }) => {
    if (enforced !== false || to.hasUnenforcedChecks) return true;
    lose(`the check ${name} is left out, as it is not enforced`);
    return false;
  });
  const withIndexes = {
    ...(to.hasDeferrableUniques ? given : withoutDeferrable(given, lose)),
    ...(indexes !== undefined && { indexes }),
    ...(kept !== undefined && { checks: kept }),
  };
  const isForeign =
    typeof given.collation === 'string' && to.foreignCollation?.test(given.collation) === true;
  if (isSameVendor && !isForeign) return { ...entry, schema: withIndexes };
  const { charset: _charset, collation, without_rowid: _rowid, strict: _strict, ...other } = withIndexes;
  const { incomplete: _incomplete, ...rest } = other;
  if (typeof collation === 'string') lose(`the collation ${collation} becomes the usual one`);
  const comment = mapComment(given.comment, to, lose);
  const all = [...(kept ?? []), ...checks];
  return {
    ...entry,
    schema: {
      ...rest,
      ...((given.comment !== undefined || !to.hasComments) && { comment: to.hasComments ? comment : null }),
      ...((given.checks !== undefined || checks.length > 0) && { checks: all }),
    },
  };
};

const withoutDeferrable = (
  { primary_key_deferrable: key, ...rest }: CollectionSchema,
  lose: (loss: string) => void,
): CollectionSchema => {
  if (key !== undefined && key !== null) lose('every statement checks the primary key, not the commit');
  const uniques = rest.uniques?.map(({ deferrable, ...unique }) => {
    if (deferrable !== undefined) lose(`every statement checks ${unique.name}, not the commit`);
    return unique;
  });
  return { ...rest, ...(uniques !== undefined && { uniques }) };
};

interface IndexRules {
  readonly traits: MappingRules['to']['indexes'];
  readonly isSameVendor: boolean;
  readonly lose: (loss: string) => void;
}

const isExpression = (part: IndexEntry['columns'][number]): boolean =>
  typeof part !== 'string' && part.expression !== undefined;

/** Returns the index as the database can have it, or none. */
const mapIndex = (index: IndexEntry, { traits, isSameVendor, lose }: IndexRules): readonly IndexEntry[] => {
  const { name, method, predicate } = index;
  const leaveOut = (reason: string): readonly [] => {
    const effect = index.unique ? 'rows that it forbids are accepted' : 'queries may be slower';
    lose(`the index ${name} is left out, as ${reason}; ${effect}`);
    return [];
  };
  if (index.incomplete === true && !isSameVendor) return leaveOut('a snapshot does not describe all of it');
  if (method !== undefined && !traits.methods.has(method)) return leaveOut(`there is no ${method} index`);
  if (predicate !== undefined && !traits.predicates) return leaveOut('there are no partial indexes');
  if (!traits.expressions && index.columns.some(isExpression))
    return leaveOut('there are no indexes of expressions');
  const { include, ...rest } = index;
  if (include !== undefined && include.length > 0 && !traits.includes)
    lose(`the index ${name} does not store ${include.join(', ')}`);
  const columns = index.columns.map((part) => {
    if (typeof part === 'string' || part.length === undefined || traits.prefixes) return part;
    lose(`the index ${name} has all characters of ${part.column ?? ''}, not the first ${part.length}`);
    const { length: _length, ...whole } = part;
    return whole;
  });
  return [{ ...rest, columns, ...(traits.includes && include !== undefined && { include }) }];
};

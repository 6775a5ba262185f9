/** Refuses a diff that takes away what a foreign key refers to, also that of a table which it leaves as it is. Pure. */
import { invalidPayload, type ApiError } from '../../../contract/errors.js';
import type { ForeignKeyShape, TableShape } from '../shapes.js';

type Tables = ReadonlyMap<string, TableShape>;

/**
 * Returns what is wrong with the targets of a table's foreign keys. One that is there already may keep a target at fault, and
 * whether the target of a new one has to be unique is the database's choice.
 */
export const findTargetProblems = (
  { name, foreignKeys }: TableShape,
  { old, wanted }: { readonly old: Tables; readonly wanted: Tables },
): readonly ApiError[] => {
  const present = new Set(old.get(name)?.foreignKeys.map((key) => key.name));
  return foreignKeys.flatMap((key) => {
    const isPresent = present.has(key.name);
    if (isPresent && faultsOf(key, old).length > 0) return [];
    const faults = isPresent ? faultsOf(key, wanted) : missingTargets(key, wanted);
    return faults.map((fault) => invalidPayload(`the relation "${key.name}" refers to ${fault}`));
  });
};

/** Returns the targets that are missing or not unique, each as the end of a sentence. */
const faultsOf = (key: ForeignKeyShape, tables: Tables): readonly string[] => {
  const missing = missingTargets(key, tables);
  const target = tables.get(key.table);
  if (missing.length > 0 || target === undefined || isUnique(target, key.references)) return missing;
  return [`"${key.table}.${key.references.join(', ')}", which is not unique`];
};

const missingTargets = ({ table, references }: ForeignKeyShape, tables: Tables): readonly string[] => {
  // system tables are not part of a snapshot, but may be referred to
  if (table.startsWith('svc_')) return [];
  const target = tables.get(table);
  if (target === undefined) return [`"${table}", which does not exist`];
  const columns = new Set(target.columns.map(({ name }) => name));
  return references
    .filter((column) => !columns.has(column))
    .map((column) => `"${table}.${column}", which does not exist`);
};

/** Returns whether a key, a constraint or an index of all rows makes columns unique. */
const isUnique = ({ primaryKey, uniques, indexes }: TableShape, columns: readonly string[]): boolean => {
  const wanted = columns.toSorted().join('\0');
  const sets = [
    primaryKey,
    ...uniques.map((unique) => unique.columns),
    ...indexes
      .filter(({ unique, predicate }) => unique && predicate === null)
      .map(({ parts }) => parts.map(({ column }) => column ?? '')),
  ];
  return sets.some((set) => set.toSorted().join('\0') === wanted);
};

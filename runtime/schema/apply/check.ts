/** Checks of an apply that need no row. Pure. */
import { invalidPayload, throwProblems } from '../../../contract/errors.js';
import { findAccessFaults } from '../access-rows/check.js';
import { accessOf, noAccess } from '../access-rows/types.js';
import { hashSnapshot } from '../diff/hash.js';
import type { Snapshot } from '../snapshot/types.js';
import { comparableShapes, type TableChange } from './apply.js';
import { findProblems } from './guard.js';
import { findMetaProblems } from './meta-check.js';

/**
 * Requires that the target is the one that a diff was made for.
 * @throws INVALID_PAYLOAD where the hash is another
 */
export const checkHash = (target: Snapshot, hash: string): void => {
  if (hashSnapshot(target) === hash) return;
  throw invalidPayload('the schema has changed since the diff was made; make a new diff and apply that');
};

/** Checks everything that needs no row. @throws INVALID_PAYLOAD with every problem */
export const checkTarget = (change: TableChange): void => {
  const { live, target, wanted } = change;
  const problems = [
    ...findViewProblems(target, wanted),
    ...findStrays(wanted),
    ...findEmpty(wanted),
    ...findMetaProblems(target, wanted),
    ...findAccessFaults(accessOf(wanted) ?? noAccess, accessOf(target) ?? noAccess),
  ].map(invalidPayload);
  throwProblems([...problems, ...findProblems(...comparableShapes(change), live.printer)]);
};

const views = ({ collections }: Snapshot): readonly string[] =>
  collections.filter(({ schema }) => schema?.is_view === true).map(({ collection }) => collection);

/** A view is made by SQL. */
const findViewProblems = (target: Snapshot, wanted: Snapshot): readonly string[] => {
  const [old, now] = [new Set(views(target)), new Set(views(wanted))];
  return [...old, ...now]
    .filter((name) => !old.has(name) || !now.has(name))
    .map((name) => `"${name}" is a view; create or drop it with SQL`);
};

const findStrays = ({ collections, fields, relations }: Snapshot): readonly string[] => {
  const names = new Set(collections.map(({ collection }) => collection));
  const stray = [...fields, ...relations].filter(({ collection }) => !names.has(collection));
  return stray.map(
    ({ collection, field }) => `"${collection}.${field}" belongs to a collection that does not exist`,
  );
};

/** A table has at least one column. */
const findEmpty = ({ collections, fields }: Snapshot): readonly string[] => {
  const filled = new Set(
    fields
      .filter(({ schema }) => schema !== undefined && schema !== null)
      .map(({ collection }) => collection),
  );
  return collections
    .filter(({ collection, schema }) => schema !== null && schema !== undefined && !filled.has(collection))
    .map(({ collection }) => `the collection "${collection}" has no field with a column`);
};

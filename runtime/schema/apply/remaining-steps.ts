/** Finds the rest of an apply: from the database, never from the journal. */
import { invalidPayload } from '../../../contract/errors.js';
import { renamesIn } from '../diff/patch.js';
import type { Renames } from '../diff/renames.js';
import { hasAccess, isDropped, type SchemaDiff } from '../diff/types.js';
import type { Snapshot } from '../snapshot/types.js';
import { readTarget } from '../target.js';
import type { Apply } from './apply.js';
import type { ApplyOptions } from './options.js';

/**
 * Returns an apply as far as it is not done.
 * @throws INVALID_PAYLOAD where somebody else has changed the schema since
 */
export const readRemaining = async (
  apply: Pick<Apply, 'id' | 'wanted' | 'diff' | 'acceptLoss' | 'generation'>,
  options: Pick<ApplyOptions, 'database' | 'tables'>,
): Promise<Apply> => {
  const { wanted, diff } = apply;
  const { live, target } = await readTarget(options, hasAccess(diff));
  refuseForeignChanges(target, { wanted, diff });
  return { ...apply, live, target, renames: pendingRenames(renamesIn(diff), target) };
};

/** Returns the renames that the database has not seen yet. */
const pendingRenames = ({ collections, fields }: Renames, target: Snapshot): Renames => {
  const tables = new Set(target.collections.map(({ collection }) => collection));
  const ids = new Set(target.fields.map(({ collection, field }) => `${collection}\0${field}`));
  const pending = new Map([...collections].filter(([to, from]) => tables.has(from) && !tables.has(to)));
  return {
    collections: pending,
    fields: new Map(
      [...fields].filter(([id, from]) => {
        const [table = ''] = id.split('\0');
        return ids.has(`${pending.get(table) ?? table}\0${from}`);
      }),
    ),
  };
};

const nameOf = ({ collection, field }: { readonly collection: string; readonly field: string }): string =>
  `${collection}.${field}`;

/** Refuses tables and columns that the diff neither wants nor drops nor renames: others created them, and they would be lost. */
const refuseForeignChanges = (
  target: Snapshot,
  { wanted, diff }: { readonly wanted: Snapshot; readonly diff: SchemaDiff },
): void => {
  const renames = renamesIn(diff);
  const tables = new Set([
    ...wanted.collections.map(({ collection }) => collection),
    ...diff.collections.filter((entry) => isDropped(entry.diff)).map(({ collection }) => collection),
    ...renames.collections.values(),
  ]);
  const formerTables = new Map([...renames.collections].map(([to, from]) => [from, to]));
  const fields = new Set([
    ...wanted.fields.map(nameOf),
    ...diff.fields.filter((entry) => isDropped(entry.diff)).map(nameOf),
    ...[...renames.fields].map(([id, from]) => `${id.split('\0')[0] ?? ''}.${from}`),
  ]);
  const kept = new Set(wanted.collections.map(({ collection }) => collection));
  const foreign = [
    ...target.collections.map(({ collection }) => collection).filter((name) => !tables.has(name)),
    ...target.fields
      .map(({ collection, field }) => ({ collection: formerTables.get(collection) ?? collection, field }))
      .filter((entry) => kept.has(entry.collection) && !fields.has(nameOf(entry)))
      .map(nameOf),
  ];
  if (foreign.length === 0) return;
  const names = foreign.map((name) => `"${name}"`).join(', ');
  throw invalidPayload(
    `the schema was changed by others before the apply has ended: ${names}; abandon it and make a new diff`,
  );
};

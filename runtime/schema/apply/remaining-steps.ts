/** Finds the rest of an apply: from the database, never from the journal. */
import { invalidPayload } from '../../../contract/errors.js';
import { renamesIn } from '../diff/patch.js';
import type { Renames } from '../diff/renames.js';
import { hasAccess } from '../diff/types.js';
import type { Snapshot } from '../snapshot/types.js';
import { readTarget } from '../target.js';
import type { Apply } from './apply.js';
import { findForeignChanges } from './foreign-changes.js';
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
  const renames = pendingRenames(renamesIn(diff), target);
  const foreign = findForeignChanges({ live, target }, { wanted, diff, pending: renames });
  if (foreign.length > 0)
    throw invalidPayload(
      `the schema was changed by others before the apply has ended: ${foreign.join(', ')}; abandon it and make a new diff`,
    );
  return { ...apply, live, target, renames };
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

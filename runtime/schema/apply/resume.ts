/** Ends an apply that was cut off. What is still missing is read from the database, never from the journal. */
import { invalidPayload } from '../../../contract/errors.js';
import { hashSnapshot } from '../diff/hash.js';
import { renamesIn } from '../diff/patch.js';
import type { Renames } from '../diff/renames.js';
import { isDropped } from '../diff/types.js';
import { readLive } from '../live.js';
import type { Snapshot } from '../snapshot/types.js';
import { schemaToSnapshot } from '../snapshot/write.js';
import { endApply, openApply, type ApplyRow, type SentDiff } from './applies.js';
import { runApply, type ApplyOptions } from './run.js';

/**
 * Ends an apply that was cut off, by whatever is still missing; where its statements were rolled back, nothing is done.
 * Returns whether there was one.
 * @throws INVALID_PAYLOAD where somebody else has changed the schema since
 */
export const resumeApply = (options: ApplyOptions): Promise<boolean> =>
  withOpenApply(options, async (row) => {
    let last = '';
    for (;;) {
      const hash = await tryResume(row, options, last);
      if (hash === null) return;
      last = hash;
    }
  });

/** Gives up an apply that was cut off: the schema stays as it is. Returns whether there was one. */
export const abandonApply = (options: ApplyOptions): Promise<boolean> =>
  withOpenApply(options, ({ id, user }) => endApply(options.database, id, { state: 'abandoned', user }));

/** Runs `body` for an apply that nobody runs any more, as the lock was free. */
const withOpenApply = async (
  { database }: ApplyOptions,
  body: (row: ApplyRow) => Promise<void>,
): Promise<boolean> => {
  if ((await openApply(database)) === undefined) return false;
  return database.locked('svc_schema', async () => {
    const row = await openApply(database);
    if (row !== undefined) await body(row);
    return row !== undefined;
  });
};

/**
 * Returns null at the end, or the hash of the schema that it began with, if that has changed meanwhile: a server may still
 * run the statement of a process that was killed.
 */
const tryResume = async (row: ApplyRow, options: ApplyOptions, last: string): Promise<string | null> => {
  const { database } = options;
  const { id, user } = row;
  const live = await readLive(options);
  if (live.printer.transactional) {
    await endApply(database, id, { state: 'failed', error: 'it was cut off, and nothing was changed', user });
    return null;
  }
  const target = schemaToSnapshot(live);
  const wanted = JSON.parse(row.wanted) as Snapshot;
  const sent = JSON.parse(row.diff) as SentDiff;
  const renames = pendingRenames(renamesIn(sent), target);
  refuseStrangers(target, { wanted, sent });
  const hash = hashSnapshot(target);
  const apply = { id, live, target, wanted, renames, acceptLoss: sent.accept_loss === true };
  try {
    await runApply(apply, { ...options, user, isResumed: true });
    return null;
  } catch (error) {
    if (hash === last) throw error;
    return hash;
  }
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
const refuseStrangers = (
  target: Snapshot,
  { wanted, sent }: { readonly wanted: Snapshot; readonly sent: SentDiff },
): void => {
  const renames = renamesIn(sent);
  const tables = new Set([
    ...wanted.collections.map(({ collection }) => collection),
    ...sent.collections.filter(({ diff }) => isDropped(diff)).map(({ collection }) => collection),
    ...renames.collections.values(),
  ]);
  const formerTables = new Map([...renames.collections].map(([to, from]) => [from, to]));
  const fields = new Set([
    ...wanted.fields.map(nameOf),
    ...sent.fields.filter(({ diff }) => isDropped(diff)).map(nameOf),
    ...[...renames.fields].map(([id, from]) => `${id.split('\0')[0] ?? ''}.${from}`),
  ]);
  const kept = new Set(wanted.collections.map(({ collection }) => collection));
  const strangers = [
    ...target.collections.map(({ collection }) => collection).filter((name) => !tables.has(name)),
    ...target.fields
      .map(({ collection, field }) => ({ collection: formerTables.get(collection) ?? collection, field }))
      .filter((entry) => kept.has(entry.collection) && !fields.has(nameOf(entry)))
      .map(nameOf),
  ];
  if (strangers.length === 0) return;
  const names = strangers.map((name) => `"${name}"`).join(', ');
  throw invalidPayload(
    `the schema was changed by others while the apply was cut off: ${names}; abandon it and make a new diff`,
  );
};

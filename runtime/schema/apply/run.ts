/**
 * Runs the phases of an apply: it expands, waits for all servers, and contracts: they never meet a table that lacks what
 * they use.
 */
import { throwProblems } from '../../../contract/errors.js';
import { outwaitLeases, raiseAccessVersion } from '../../execute/access-version.js';
import type { Executor } from '../../databases/contract.js';
import { dryRunAccess } from '../access-rows/write.js';
import { refuseUsed } from '../dependants.js';
import { renamesIn } from '../diff/patch.js';
import { findInconvertible, findingsToProblems, findInData, formerNames } from '../findings/index.js';
import { readLiveSchema } from '../live-schema.js';
import { addLabels, findIndexBuilds, runAutocommit } from './autocommit-steps.js';
import { comparableShapes, ownShapes, wantedShapes, type Apply } from './apply.js';
import { endApply, noteExpanded } from './applies.js';
import { expandTables } from './expand.js';
import { isServed, untilFollowed } from './follow.js';
import type { ApplyOptions } from './options.js';
import { planRenames, planTables, withLabels, type Step } from './plan.js';
import { readRemaining } from './remaining-steps.js';
import { accessChange, writeRows } from './rows.js';
import { changeSchema, createRunner, shorten } from './steps.js';

/** Changes the tables, then the meta, and records the end. */
export const runApply = async (begun: Apply, options: ApplyOptions): Promise<void> => {
  const apply = await orFail(begun, options, () =>
    addLabels(begun, options, (executor) => checkData(executor, begun, options)),
  );
  const expanded = await orFail(apply, options, () => expand(apply, options));
  if (expanded === null) return orFail(apply, options, () => contract(apply, options));
  const { generation, isAll } = expanded;
  if (!isAll) await untilFollowed({ id: apply.id, generation }, options);
  return orFail(apply, options, async () =>
    contract(await readRemaining({ ...apply, generation }, options), options),
  );
};

/** Runs a phase, and records a failure unless it can be tried again. */
const orFail = async <Result>(
  { id }: Apply,
  { database, leavesOpen = () => false }: ApplyOptions,
  phase: () => Promise<Result>,
): Promise<Result> => {
  try {
    return await phase();
  } catch (error) {
    if (!leavesOpen(error)) await endApply(database, id, { state: 'failed', error }).catch(() => undefined);
    throw error;
  }
};

interface Expanded {
  /** Generation of the schema that servers are to follow. */
  readonly generation: number;
  /** True where nothing of the tables is left to change. */
  readonly isAll: boolean;
}

/**
 * Adds what takes nothing away from servers that run. Returns null, and changes nothing, where there is nobody to wait for, or
 * nothing to wait with.
 */
const expand = async (apply: Apply, options: ApplyOptions): Promise<Expanded | null> => {
  const { live, wanted, renames, generation: former } = apply;
  const { printer } = live;
  if (former === null && !(await isServed(options))) return null;
  const before = ownShapes(live);
  const after = wantedShapes(wanted, before, live);
  const expanded = expandTables({ before, after, renames });
  const isAll = planTables(expanded, after, printer).length === 0;
  const indexes = await findIndexBuilds(before, expanded, { printer, executor: options.database });
  if (isAll && indexes.steps.length === 0 && former === null) return null;
  const steps = planTables(before, indexes.tables, printer);
  // servers may have followed already when it was cut off
  const generation = former !== null && steps.length === 0 ? former : await addTables(steps, apply, options);
  if (indexes.steps.length > 0) await runAutocommit(indexes.steps, { ...apply, generation }, options);
  return { generation, isAll };
};

/** Runs the steps of the additive phase. Returns the generation that servers are to follow. */
const addTables = async (steps: readonly Step[], apply: Apply, options: ApplyOptions): Promise<number> => {
  const { live, id } = apply;
  const generation = await changeSchema(live, options, async (executor) => {
    await checkData(executor, apply, options);
    await createRunner(executor, apply, options)(steps);
    return live.printer.transactional ? noteExpanded(executor, id) : null;
  });
  return generation ?? noteExpanded(options.database, id);
};

/** Changes what is left, and records the end. */
const contract = async (apply: Apply, options: ApplyOptions): Promise<void> => {
  const { database } = options;
  const { transactional } = apply.live.printer;
  let lease = 0;
  const finish = async (executor: Executor): Promise<void> => {
    lease = await finishRows(executor, apply);
    await endApply(executor, apply.id, { state: 'done' });
  };
  await changeSchema(apply.live, options, async (executor) => {
    await checkData(executor, apply, options);
    await changeTables(executor, apply, options);
    if (transactional) await finish(executor);
  });
  if (!transactional) await database.transaction(finish);
  await outwaitLeases(lease);
};

/** Checks the data, and views and triggers: before what is new is there, everything is known that would stop the rest. @throws INVALID_PAYLOAD */
const checkData = async (executor: Executor, apply: Apply, { database }: ApplyOptions): Promise<void> => {
  const { renames, acceptLoss } = apply;
  const { printer, collation } = apply.live;
  const [old, next] = comparableShapes(apply);
  await refuseUsed(executor, database.dialect, {
    before: withLabels(old, next),
    after: next,
    renames,
    printer,
  });
  const context = { executor, database, printer, collation, names: formerNames(renames) };
  throwProblems(findingsToProblems(await findInData(old, next, context), { acceptLoss }));
  if (acceptLoss)
    throwProblems(findingsToProblems(await findInconvertible(old, next, context), { acceptLoss }));
  const access = accessChange(apply);
  if (access !== null && !printer.transactional) await dryRunAccess(database, ...access);
};

const changeTables = async (executor: Executor, apply: Apply, options: ApplyOptions): Promise<void> => {
  const { live, renames, wanted, acceptLoss } = apply;
  const { printer } = live;
  const renaming = planRenames(renames, ownShapes(live), printer);
  const run = createRunner(executor, apply, options);
  await run(renaming);
  // names of constraints and triggers follow those of their table
  const now =
    renaming.length === 0
      ? live
      : await readLiveSchema(executor, { dialect: options.database.dialect, tables: options.tables });
  const before = ownShapes(now);
  const after = wantedShapes(wanted, before, now);
  if (acceptLoss) await shorten(executor, { before, after, printer });
  await run(planTables(before, after, printer));
};

/** Returns the longest lease of the access version, in milliseconds. */
const finishRows = async (executor: Executor, apply: Apply): Promise<number> => {
  // with those renames that tables had already when an apply was cut off
  await writeRows(executor, { ...apply, renames: renamesIn(apply.diff) });
  return raiseAccessVersion(executor);
};

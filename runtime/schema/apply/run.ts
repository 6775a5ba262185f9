/** Runs an apply: checks it against the target, changes the tables, then the meta. One at a time, over all processes. */
import { invalidPayload, throwProblems } from '../../../contract/errors.js';
import { outwaitLeases, raiseAccessVersion } from '../../execute/access-version.js';
import type { Database, Executor } from '../../databases/contract.js';
import { hashSnapshot } from '../diff/hash.js';
import { patchSnapshot, renamesIn } from '../diff/patch.js';
import { applyRenames, type Renames } from '../diff/renames.js';
import { isEmptyDiff, type SchemaDiff } from '../diff/types.js';
import { findInconvertible, findingsToProblems, findInData, formerNames } from '../findings/index.js';
import { readLive, readLiveSchema, type LiveOptions } from '../live.js';
import type { TableShape } from '../shapes.js';
import { checkForm } from '../snapshot/check.js';
import { snapshotToShapes } from '../snapshot/shapes.js';
import type { Snapshot } from '../snapshot/types.js';
import { schemaToSnapshot, type LiveSchema } from '../snapshot/write.js';
import { beginApply, endApply, noteStep } from './applies.js';
import { findProblems } from './guard.js';
import { renameInRules, writeMeta } from './meta.js';
import { planRenames, planTables, type Step } from './plan.js';

export interface ApplyOptions {
  readonly database: Database;
  readonly tables: LiveOptions['tables'];
  /** Id of the user; `null` for a command. */
  readonly user: string | null;
  /** Whether a failure leaves the apply open, so that it can be tried again. */
  readonly isResumed?: boolean;
  /** Called before every step. */
  readonly onStep?: (step: Step, progress: { readonly done: number; readonly steps: number }) => void;
}

export interface ApplyRequest {
  readonly hash: string;
  readonly diff: SchemaDiff;
  readonly acceptLoss: boolean;
}

/**
 * Applies a diff.
 * @throws INVALID_PAYLOAD where the hash is not that of the target, or the diff asks for what may not or cannot be done;
 * CONTAINS_NULL_VALUES
 */
export const applyDiff = async (request: ApplyRequest, options: ApplyOptions): Promise<void> => {
  if (isEmptyDiff(request.diff)) return;
  const { database } = options;
  await database.locked('svc_schema', async () => {
    const live = await readLive(options);
    const target = schemaToSnapshot(live);
    if (hashSnapshot(target) !== request.hash) {
      throw invalidPayload('the schema has changed since the diff was made; make a new diff and apply that');
    }
    const wanted = await checkForm(patchSnapshot(target, request.diff));
    const renames = renamesIn(request.diff);
    checkTarget({ live, target, wanted, renames });
    const { user } = options;
    const { hash, diff, acceptLoss } = request;
    const id = await beginApply(database, { hash, diff, wanted, acceptLoss, user });
    await runApply({ id, live, target, wanted, renames, acceptLoss }, options);
  });
};

const ownShapes = ({ shapes, systemTables }: LiveSchema): readonly TableShape[] =>
  shapes.filter(({ name }) => !systemTables.has(name));

/** Returns the tables of the target, with the names that they will have, and as they shall be. */
export const comparableShapes = ({
  live,
  target,
  wanted,
  renames,
}: Pick<Apply, 'live' | 'target' | 'wanted' | 'renames'>): readonly [
  before: readonly TableShape[],
  after: readonly TableShape[],
] => {
  const { printer, collation } = live;
  const before = snapshotToShapes(applyRenames(target, renames), { printer, collation, current: new Map() });
  return [before, wantedShapes(wanted, before, live)];
};

const wantedShapes = (
  wanted: Snapshot,
  before: readonly TableShape[],
  { printer, collation }: LiveSchema,
): readonly TableShape[] =>
  snapshotToShapes(wanted, {
    printer,
    collation,
    current: new Map(before.map((table) => [table.name, table])),
  });

/** Checks everything that needs no row. @throws INVALID_PAYLOAD with every problem */
export const checkTarget = (change: Pick<Apply, 'live' | 'target' | 'wanted' | 'renames'>): void => {
  const { live, target, wanted } = change;
  const problems = [...findViewProblems(target, wanted), ...findStrays(wanted), ...findEmpty(wanted)].map(
    invalidPayload,
  );
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
    ({ collection, field }) => `"${collection}.${field}" is of a collection that is not there`,
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

/** An apply that has begun. */
export interface Apply {
  readonly id: string;
  readonly live: LiveSchema;
  readonly target: Snapshot;
  readonly wanted: Snapshot;
  readonly renames: Renames;
  readonly acceptLoss: boolean;
}

/** Changes the tables, then the meta, and records the end. */
export const runApply = async (apply: Apply, options: ApplyOptions): Promise<void> => {
  const { database, user } = options;
  const { printer } = apply.live;
  let lease = 0;
  const finish = async (executor: Executor): Promise<void> => {
    lease = await finishMeta(executor, apply);
    await endApply(executor, apply.id, { state: 'done', user });
  };
  try {
    await database.changeSchema(async (executor) => {
      await changeTables(executor, apply, options);
      if (printer.transactional) await finish(executor);
    });
    if (!printer.transactional) await database.transaction(finish);
  } catch (error) {
    if (options.isResumed === true) throw error;
    const message = error instanceof Error ? error.message : String(error);
    await endApply(database, apply.id, { state: 'failed', error: message, user }).catch(() => undefined);
    throw error;
  }
  await outwaitLeases(lease);
};

const changeTables = async (executor: Executor, apply: Apply, options: ApplyOptions): Promise<void> => {
  const { live, renames, wanted, acceptLoss } = apply;
  const { printer } = live;
  const [old, next] = comparableShapes(apply);
  const context = { executor, printer, names: formerNames(renames) };
  throwProblems(findingsToProblems(await findInData(old, next, context), { acceptLoss }));
  // where nothing is rolled back, everything is known before the first step
  if (acceptLoss && !printer.transactional)
    throwProblems(findingsToProblems(await findInconvertible(old, next, context), { acceptLoss }));
  const renaming = planRenames(renames, printer);
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

/** Shortens texts that are too long for their column, which the caller has accepted. */
const shorten = async (
  executor: Executor,
  {
    before,
    after,
    printer,
  }: {
    readonly before: readonly TableShape[];
    readonly after: readonly TableShape[];
    readonly printer: LiveSchema['printer'];
  },
): Promise<void> => {
  // the conversion of other types makes them as long as they are
  const isText = ({ dataType, values }: TableShape['columns'][number]): boolean =>
    values === null && printer.dataType(dataType, values)?.kind === 'text';
  const old = new Map(before.map((table) => [table.name, table]));
  for (const table of after) {
    for (const { name, length, dataType, generated } of table.columns) {
      const present = old.get(table.name)?.columns.find((column) => column.name === name);
      if (present === undefined || length === null || !isText(present) || !/char/i.test(dataType)) continue;
      if (generated !== null || present.generated !== null || (present.length ?? Infinity) <= length)
        continue;
      const column = executor.quote(name);
      const text = `update ${executor.quote(table.name)} set ${column} = substr(${column}, 1, ${length})`;
      await executor.write({ text, values: [] });
    }
  }
};

/** Runs steps; what the database refuses is the fault of the diff. */
const createRunner = (executor: Executor, { id, live }: Apply, { database, onStep }: ApplyOptions) => {
  let done = 0;
  return async (steps: readonly Step[]): Promise<void> => {
    for (const step of steps) {
      const progress = { done, steps: done + steps.length - steps.indexOf(step) };
      onStep?.(step, progress);
      // committed before the statement where that commits by itself
      if (!live.printer.transactional) await noteStep(database, id, { ...progress, step: step.description });
      await executor.write({ text: step.sql, values: [] }).catch((error: unknown) => {
        throw database.isConnectionLoss(error)
          ? error
          : refused(step, error, live.printer.transactional || done === 0);
      });
      done += 1;
    }
  };
};

const refused = ({ description }: Step, cause: unknown, isWhole: boolean): Error => {
  const rest = isWhole ? 'nothing was changed' : 'the steps before it are done; make a new diff for the rest';
  const error = invalidPayload(`the database refused the step "${description}"; ${rest}`);
  return Object.assign(error, { cause });
};

/** Returns the longest lease of the access version, in milliseconds. */
const finishMeta = async (executor: Executor, { target, wanted, renames }: Apply): Promise<number> => {
  await writeMeta(executor, target, wanted);
  await renameInRules(executor, renames);
  return raiseAccessVersion(executor);
};

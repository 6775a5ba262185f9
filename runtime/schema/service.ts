/** Snapshot, diff and apply of a database. */
import { throwProblems, invalidPayload } from '../../contract/errors.js';
import type { Database, SchemaPrinter } from '../databases/contract.js';
import { accessLists } from './access-rows/types.js';
import { abandonApply, resumeApply } from './apply/resume.js';
import { checkTarget } from './apply/check.js';
import type { ApplyOptions } from './apply/options.js';
import { applyDiff } from './apply/run.js';
import { checkDiff } from './diff/check.js';
import { compareSnapshots } from './diff/compare.js';
import { hashSnapshot } from './diff/hash.js';
import { normalizeSnapshot } from './diff/normalize.js';
import { patchSnapshot, renamesIn } from './diff/patch.js';
import { isEmptyDiff, type SchemaDiff } from './diff/types.js';
import type { LiveOptions } from './live.js';
import type { Explanation } from './explain/explain.js';
import { checkForm, checkSnapshot } from './snapshot/check.js';
import type { Snapshot } from './snapshot/types.js';
import { readTarget, type Target } from './target.js';

export interface SchemaServices {
  readonly database: Database;
  /** Patterns of the tables that are served. */
  readonly tables: LiveOptions['tables'];
}

export interface Difference {
  /** Hash of the schema, meta and version of the target. */
  readonly hash: string;
  readonly diff: SchemaDiff;
  /** Explanation of what an apply would do, if it was requested. */
  readonly explain?: Explanation;
}

export interface DiffOptions {
  /** Takes snapshots of other versions and vendors. */
  readonly force: boolean;
  readonly mode: 'mirror' | 'merge';
  /** Explains what an apply would do. */
  readonly explain?: boolean;
}

/** @param include `access`: roles, policies and permissions too */
export const takeSnapshot = async (
  services: SchemaServices,
  include: readonly 'access'[] = [],
): Promise<Snapshot> => (await readTarget(services, include.includes('access'))).target;

/**
 * Compares a snapshot with the database; returns null where there is no difference.
 * @throws INVALID_PAYLOAD with every problem
 */
export const diffSnapshot = async (
  value: unknown,
  options: DiffOptions,
  services: SchemaServices,
): Promise<Difference | null> => {
  const target = await readTarget(services, namesAccess(value));
  const difference = await compareWith(target, value, options);
  if (difference === null || options.explain !== true) return difference;
  const { explainApply } = await import('./explain/explain.js');
  const wanted = await checkForm(patchSnapshot(target.target, difference.diff));
  const apply = { ...target, wanted, renames: renamesIn(difference.diff) };
  checkTarget(apply);
  return { ...difference, explain: await explainApply(apply, services.database) };
};

/** Returns whether an unvalidated snapshot includes roles, policies and permissions. */
const namesAccess = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && accessLists.some((list) => list in value);

const compareWith = async (
  { live, target }: Target,
  value: unknown,
  { force, mode }: DiffOptions,
): Promise<Difference | null> => {
  const given = await checkSnapshot(value, { vendor: target.vendor, force });
  const diff = compareSnapshots(target, given, {
    mode,
    normalize: (wanted, current) => normalizeSnapshot(wanted, current, live),
  });
  return isEmptyDiff(diff) ? null : { hash: hashSnapshot(target), diff };
};

/** Applies a difference. @throws INVALID_PAYLOAD, CONTAINS_NULL_VALUES with every problem */
export const applyDifference = async (
  {
    hash,
    diff,
    accept_loss: acceptLoss = false,
  }: { readonly hash: string; readonly diff: unknown; readonly accept_loss?: boolean },
  options: ApplyOptions,
): Promise<void> => {
  if (hash === '') throwProblems([invalidPayload('the hash is empty; send the one of the diff')]);
  // one that was cut off comes first; the hash then tells whether the diff still fits
  await resumeApply(options);
  await applyDiff({ hash, diff: await checkDiff(diff), acceptLoss }, options);
};

export { abandonApply, resumeApply };

/**
 * Changes the schema to what an edit makes of its snapshot. Returns whether anything changed.
 * @throws INVALID_PAYLOAD, CONTAINS_NULL_VALUES with every problem
 */
export const changeSchema = async (
  edit: (snapshot: Snapshot, types: SchemaPrinter['fieldTypes']) => Snapshot,
  options: ApplyOptions,
): Promise<boolean> => {
  const target = await readTarget(options, false);
  const wanted = edit(target.target, target.live.printer.fieldTypes);
  const difference = await compareWith(target, wanted, { force: false, mode: 'mirror' });
  if (difference === null) return false;
  await applyDifference(difference, options);
  return true;
};

/** Snapshot, diff and apply of a database. */
import { throwProblems, invalidPayload } from '../../contract/errors.js';
import type { Vendor } from '../../generator/introspection/catalog.js';
import type { Database } from '../databases/contract.js';
import { loadSchemaPrinter } from '../databases/open.js';
import { accessLists } from './access-rows/types.js';
import { abandonApply, resumeApply } from './apply/resume.js';
import { checkTarget } from './apply/check.js';
import type { ApplyOptions } from './apply/options.js';
import { describeApplies, describeApply, describeWithDiff } from './apply/describe.js';
import { applyDiff } from './apply/begin.js';
import { checkDiff } from './diff/check.js';
import { compareSnapshots } from './diff/compare.js';
import { findUnusedLabels } from './diff/contradictions.js';
import { hashSnapshot } from './diff/hash.js';
import { normalizeSnapshot } from './diff/normalize.js';
import { patchSnapshot, renamesIn } from './diff/patch.js';
import { isEmptyDiff, type SchemaDiff } from './diff/types.js';
import type { LiveOptions } from './live-schema.js';
import type { Explanation } from './explain/explain.js';
import { mapSnapshot, type Loss, type MappedSnapshot } from './mapping/map-snapshot.js';
import { checkForm, checkSnapshot } from './snapshot/check.js';
import type { Snapshot } from './snapshot/types.js';
import type { LiveSchema } from './snapshot/write.js';
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
  /** Properties in the snapshot of another database that this one does not hold, if there are any. */
  readonly losses?: readonly Loss[];
  /** Explanation of what an apply would do, if it was requested. */
  readonly explain?: Explanation;
}

export interface DiffOptions {
  /** Takes snapshots of other versions and vendors, whose types are mapped. */
  readonly force: boolean;
  readonly mode: 'mirror' | 'merge';
  /** Explains what an apply would do; `exact` asks the server on empty copies of tables too. */
  readonly explain?: boolean | 'exact';
}

/**
 * Returns the snapshot of the database.
 * @param include `access`: roles, policies and permissions too
 */
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
  // what an apply refuses is listed at once where the snapshot was not made for this database
  const isMapped = difference?.losses !== undefined || vendorOf(value) !== target.target.vendor;
  const { explain = false } = options;
  if (difference === null || (explain === false && !isMapped)) return difference;
  const wanted = await checkForm(patchSnapshot(target.target, difference.diff));
  const apply = { ...target, wanted, renames: renamesIn(difference.diff) };
  checkTarget(apply);
  if (explain === false) return difference;
  const { explainApply } = await import('./explain/explain.js');
  return {
    ...difference,
    explain: await explainApply(apply, services.database, { isExact: explain === 'exact' }),
  };
};

const vendorOf = (value: unknown): unknown => (value as Partial<Snapshot>).vendor;

/** Returns whether an unvalidated snapshot includes roles, policies and permissions. */
const namesAccess = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && accessLists.some((list) => list in value);

const compareWith = async (
  { live, target }: Target,
  value: unknown,
  { force, mode }: DiffOptions,
): Promise<Difference | null> => {
  const given = await checkSnapshot(value, { vendor: target.vendor, force });
  const { snapshot, losses: lost } = await mapToTarget(given, live, force);
  const undescribed = findUndescribed(given, target);
  refuseLosses(
    undescribed.filter(({ isNew }) => isNew && !force).map(({ loss }) => loss),
    [],
  );
  throwProblems(findUnusedLabels(snapshot, await loadSchemaPrinter(target.vendor as Vendor)));
  const losses = [...lost, ...undescribed.map(({ loss }) => loss)];
  const diff = compareSnapshots(target, snapshot, {
    mode,
    normalize: (wanted, current) => normalizeSnapshot(wanted, current, live),
  });
  if (isEmptyDiff(diff)) return null;
  return { hash: hashSnapshot(target), diff, ...(losses.length > 0 && { losses }) };
};

/** Maps the types of a snapshot of another database. @throws INVALID_PAYLOAD with everything that is lost, or cannot be mapped */
const mapToTarget = async (
  given: Snapshot,
  { printer, catalog }: LiveSchema,
  force: boolean,
): Promise<Pick<MappedSnapshot, 'snapshot' | 'losses'>> => {
  const vendor = given.vendor ?? catalog.vendor;
  const isSameVendor = vendor === catalog.vendor;
  const from = isSameVendor ? printer : await loadSchemaPrinter(vendor as Vendor);
  const mapped = mapSnapshot(given, { from, to: printer, isSameVendor });
  refuseLosses(force ? [] : mapped.losses, mapped.problems);
  return mapped;
};

/** Throws where a snapshot would not be stored as it is. @throws INVALID_PAYLOAD with every loss and problem */
const refuseLosses = (losses: readonly Loss[], problems: readonly string[]): void => {
  const refused = losses.map(({ collection, field, loss }) => {
    const place = field === undefined ? collection : `${collection}.${field}`;
    return `this server lacks what the snapshot has: "${place}": ${loss}; send force=true to accept that`;
  });
  throwProblems([...problems, ...refused].map(invalidPayload));
};

interface Undescribed {
  readonly loss: Loss;
  /** True where an apply makes the collection. */
  readonly isNew: boolean;
}

/** Returns the properties that the snapshot names without describing them, and the target lacks. */
const findUndescribed = (given: Snapshot, target: Snapshot): readonly Undescribed[] => {
  const present = new Map(target.collections.map(({ collection, schema }) => [collection, schema]));
  return given.collections.flatMap(({ collection, meta, schema }) => {
    const former = present.has(collection) ? collection : String(meta?.previous_name);
    const known = present.get(former)?.incomplete ?? [];
    const lacking = (schema?.incomplete ?? []).filter((loss) => !known.includes(loss));
    return lacking.map((loss) => ({ loss: { collection, loss }, isNew: !present.has(former) }));
  });
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
  // an interrupted apply is completed first; the hash then says whether the diff still fits
  await resumeApply(options);
  await applyDiff({ hash, diff: await checkDiff(diff), acceptLoss }, options);
};

export { abandonApply, describeApplies, describeApply, describeWithDiff, resumeApply };

/**
 * Changes the schema to what an edit makes of its snapshot. Returns whether anything changed.
 * @throws INVALID_PAYLOAD, CONTAINS_NULL_VALUES with every problem
 */
export const changeSchema = async (
  edit: (snapshot: Snapshot, live: LiveSchema) => Snapshot,
  { acceptLoss = false, ...options }: ApplyOptions & { readonly acceptLoss?: boolean },
): Promise<boolean> => {
  const target = await readTarget(options, false);
  const wanted = edit(target.target, target.live);
  const difference = await compareWith(target, wanted, { force: false, mode: 'mirror' });
  if (difference === null) return false;
  await applyDifference({ ...difference, accept_loss: acceptLoss }, options);
  return true;
};

/**
 * Plans writes: one tree for the whole payload, complete before any statement runs. All problems are reported
 * at once.
 */
import type { Collection } from '../../contract/collection.js';
import { throwProblems, type ApiError } from '../../contract/errors.js';
import type { OnConflict } from '../request/on-conflict.js';
import { planLists } from './list.js';
import { bindCreate, bindUpdate, noOwnerValues } from './owner.js';
import { planParents } from './parent.js';
import { noOwner, type LevelContext, type WriteContext } from './row-context.js';
import {
  readChange,
  readNewRow,
  requireGrant,
  toCreatePlan,
  toUpdatePlan,
  type Change,
  type ChangeLevel,
  type RelatedPlans,
  type RowPlanners,
} from './row-plans.js';
import { planUpsertRows } from './upsert.js';
import type { CreatePlan, ListUpdatePlan, UpdatePlan, UpsertPlan } from './write-plan.js';

/**
 * Plans the creation of items. @throws FORBIDDEN, INVALID_PAYLOAD, FAILED_VALIDATION, VALUE_TOO_LONG,
 * VALUE_OUT_OF_RANGE: every problem of every row
 */
export const planCreate = (
  collection: Collection,
  payloads: readonly unknown[],
  context: WriteContext,
): CreatePlan => {
  const problems: ApiError[] = [];
  const plan = planRows(collection, payloads, topLevel(context, problems));
  throwProblems(problems);
  return bindCreate(plan, noOwnerValues);
};

/** Plans the creation of items that may be stored already. @throws as `planCreate`, INVALID_QUERY */
export const planUpsert = (
  collection: Collection,
  values: { readonly payloads: readonly unknown[]; readonly onConflict: OnConflict },
  context: WriteContext,
): UpsertPlan => planUpsertRows(collection, values, { level: topLevel(context, []), planners });

/** Plans each change by itself. @throws as `planCreate` */
export const planUpdates = (
  collection: Collection,
  changes: readonly Change[],
  context: WriteContext,
): readonly UpdatePlan[] => {
  const problems: ApiError[] = [];
  const plans = changes.map((change, index) =>
    planChange(collection, change, {
      ...topLevel(context, problems),
      index: changes.length > 1 ? index : null,
    }),
  );
  throwProblems(problems);
  return plans.map((plan) => bindUpdate(plan, noOwnerValues));
};

const topLevel = (writing: WriteContext, problems: ApiError[]): LevelContext => ({
  writing,
  problems,
  path: [],
  owner: noOwner,
  positions: null,
});

const planRows: RowPlanners['planRows'] = (collection, payloads, level) => {
  const grant = requireGrant(collection, 'create', level.writing);
  const related: RelatedPlans[] = [];
  const rows = payloads.map((payload, rowIndex) => {
    const index = payloads.length > 1 ? rowIndex : null;
    const position = level.positions?.[rowIndex] ?? null;
    const read = readNewRow(payload, { grant, index, position }, level);
    related.push(planRelated(read, { collection, rowIndex, row: read.row, key: null }, level));
    return read;
  });
  return toCreatePlan(grant, rows, {
    parents: related.flatMap(({ parents }) => parents),
    lists: related.flatMap(({ lists }) => lists),
  });
};

const planChange = (collection: Collection, change: Change, level: ChangeLevel): ListUpdatePlan => {
  const read = readChange(collection, change, level);
  const owner = { collection, rowIndex: 0, row: read.row, key: change.key };
  return toUpdatePlan(read, planRelated(read, owner, level), level);
};

const planRelated: RowPlanners['planRelated'] = ({ parents, lists }, owner, level) => ({
  parents: planParents(parents, { rowIndex: owner.rowIndex, level }, planners),
  lists: planLists(lists, { owner, level }, planners),
});

const planners: RowPlanners = { planRows, planRelated };

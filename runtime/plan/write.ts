/**
 * Plans writes: one tree for the whole payload, complete before any statement runs. All problems are reported
 * at once.
 */
import type { Collection } from '../../contract/collection.js';
import { throwProblems, type ApiError } from '../../contract/errors.js';
import type { OnConflict } from '../request/on-conflict.js';
import { planLists } from './list.js';
import { bindCreate, bindUpdate, noOwnerValues } from './owner-operands.js';
import { planParents } from './parent.js';
import { collectLocated } from './problem-collection.js';
import {
  entryLevel,
  isOfSeveral,
  itemLevel,
  noOwner,
  type PayloadLevel,
  type WriteContext,
} from './row-context.js';
import {
  noRelated,
  readChange,
  readNewRow,
  requireGrant,
  toCreatePlan,
  toUpdatePlan,
  type Change,
  type RowPlanners,
} from './row-plans.js';
import type { PlannedRow } from './row.js';
import { planUpsertRows } from './upsert.js';
import type {
  CreatePlan,
  ListPlan,
  ListUpdatePlan,
  ParentPlan,
  UpdatePlan,
  UpsertPlan,
} from './write-plan.js';

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
  const top = topLevel(context, problems, changes[0]?.pointer);
  const plans = changes.flatMap((change, index) => {
    const level = isOfSeveral(changes, context) ? itemLevel(top, index) : top;
    return collectLocated(level, () => planChange(collection, change, level)) ?? [];
  });
  throwProblems(problems);
  return plans.map((plan) => bindUpdate(plan, noOwnerValues));
};

const topLevel = (
  writing: WriteContext,
  problems: ApiError[],
  pointer: PayloadLevel['pointer'] = [],
): PayloadLevel => ({
  writing,
  problems,
  index: null,
  path: [],
  pointer,
  rowPointers: null,
  owner: noOwner,
  positions: null,
});

const planRows: RowPlanners['planRows'] = (collection, payloads, level) => {
  const grant = requireGrant(collection, 'create', level.writing);
  const rows: PlannedRow[] = [];
  const parents: ParentPlan[] = [];
  const lists: ListPlan[] = [];
  const isRequest = level.path.length === 0 && isOfSeveral(payloads, level.writing);
  payloads.forEach((payload, rowIndex) => {
    const below = level.rowPointers?.[rowIndex];
    const own =
      below === undefined ? (isRequest ? itemLevel(level, rowIndex) : level) : entryLevel(level, below);
    const position = level.positions?.[rowIndex] ?? null;
    collectLocated(own, () => {
      const row = readNewRow(payload, { grant, position }, own);
      const related = planRelated(row, { collection, rowIndex, row: row.row, key: null }, own);
      rows.push(row);
      for (const parent of related.parents) parents.push(parent);
      for (const list of related.lists) lists.push(list);
    });
  });
  return toCreatePlan(grant, rows, { parents, lists });
};

const planChange = (collection: Collection, change: Change, level: PayloadLevel): ListUpdatePlan => {
  const read = readChange(collection, change, level);
  const owner = { collection, rowIndex: 0, row: read.row, key: change.key };
  return toUpdatePlan(read, planRelated(read, owner, level), level);
};

const planRelated: RowPlanners['planRelated'] = ({ parents, lists }, owner, level) =>
  parents.length === 0 && lists.length === 0
    ? noRelated
    : {
        parents: planParents(parents, { rowIndex: owner.rowIndex, level }, planners),
        lists: planLists(lists, { owner, level }, planners),
      };

const planners: RowPlanners = { planRows, planRelated };

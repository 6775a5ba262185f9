/** Reads rows of payloads, and makes plans of them with what was planned for their relations. */
import type { Grant } from '../access/grant.js';
import type { Action } from '../access/policies.js';
import type { Collection } from '../../contract/collection.js';
import { invalidPayload } from '../../contract/errors.js';
import { isObject } from '../../contract/objects.js';
import type { Owner } from './list-level.js';
import { normalizePayload } from './payload.js';
import { rowContext, type PayloadLevel, type Payload, type RowContext } from './row-context.js';
import { readRow, writtenNames, type PlannedRow } from './row.js';
import { forbiddenCollection, type PlanContext } from './scope.js';
import { conditionFalse } from './types.js';
import { updateCondition } from './update-condition.js';
import type { Key, ListCreatePlan, ListUpdatePlan, UpdatePlan } from './write-plan.js';

export interface Change {
  /**
   * The key of the item, with which its lists know their owner; `null` where the change applies to several
   * items.
   */
  readonly key: Key | null;
  readonly payload: unknown;
  /** The names that lead from the body to the payload; none where it is the body, or an entry of it. */
  readonly pointer?: readonly string[];
}

/** The plans of related rows that a payload contains. */
export type RelatedPlans = Pick<UpdatePlan, 'parents' | 'lists'>;

/** Plans of a row without related rows. */
export const noRelated: RelatedPlans = { parents: [], lists: [] };

/** Plans rows of any collection; related rows are planned like those of a request. */
export interface RowPlanners {
  planRows(collection: Collection, payloads: readonly unknown[], level: PayloadLevel): ListCreatePlan;
  /** Plans the related rows in the payload of a row; adds their faults to the problems of the level. */
  planRelated(row: Pick<PlannedRow, 'parents' | 'lists'>, owner: Owner, level: PayloadLevel): RelatedPlans;
}

/** Reads one of the new rows of a level; adds its faults to the problems of the level. */
export const readNewRow = (
  payload: unknown,
  { grant, position }: Pick<RowContext, 'grant' | 'position'>,
  level: PayloadLevel,
): PlannedRow =>
  readRow(
    requireObject(payload, grant.collection),
    rowContext(level, { grant, action: 'create', key: null, position }),
  );

/** Returns the plan of new rows with the plans of their relations. */
export const toCreatePlan = (
  grant: Grant,
  rows: readonly PlannedRow[],
  { parents, lists }: RelatedPlans,
): ListCreatePlan => ({
  collection: grant.collection,
  grant,
  rows: rows.map(({ row }) => row),
  locations: rows.map(({ location }) => location),
  parents,
  lists,
  checks: rows.flatMap(({ check }) => check ?? []),
  stored: rows.flatMap(({ stored }, rowIndex) => (stored === null ? [] : { rowIndex, check: stored })),
  references: rows.flatMap(({ references }, rowIndex) => references.map((check) => ({ rowIndex, check }))),
});

export interface ChangedRow extends PlannedRow {
  readonly sent: Payload;
}

/** Reads the change of a row; adds its faults to the problems of the level. */
export const readChange = (
  collection: Collection,
  { key, payload }: Change,
  level: PayloadLevel,
): ChangedRow => {
  const grant = requireGrant(collection, 'update', level.writing);
  const sent = requireObject(payload, collection);
  return {
    sent,
    ...readRow(sent, rowContext(level, { grant, action: 'update', key, position: null })),
  };
};

/** Returns the plan of a changed row with the plans of its relations. */
export const toUpdatePlan = (
  { sent, row, location, grant, check, stored, references, lists: values }: ChangedRow,
  { parents, lists }: RelatedPlans,
  level: PayloadLevel,
): ListUpdatePlan => {
  const names = new Set([...row.keys(), ...values.map(({ relation }) => relation.name)]);
  const permitted = writtenNames(sent, level).filter((name) => names.has(name));
  const isRefused = level.problems.length > 0;
  const where = isRefused ? conditionFalse : updateCondition(grant, permitted, level.writing);
  const { collection } = grant;
  return {
    collection,
    grant,
    row,
    location,
    parents,
    lists,
    where,
    check,
    stored,
    references,
    writtenNames: permitted,
  };
};

/** Returns the grant of an action. @throws FORBIDDEN where the caller may not do this with any item */
export const requireGrant = (collection: Collection, action: Action, context: PlanContext): Grant => {
  const grant = context.policies.grant(collection, action);
  if (grant === null) throw forbiddenCollection(collection.name);
  return grant;
};

const requireObject = (payload: unknown, collection: Collection): Payload => {
  if (isObject(payload)) return normalizePayload(payload, collection);
  throw invalidPayload('an item must be an object of field names and values');
};

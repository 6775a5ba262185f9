/** Replaces the owner operands in the plans of a list with the owner's values. */
import { toPosition } from './list-position.js';
import { updateCondition } from './update-condition.js';
import { checkOwner } from './row-validation.js';
import {
  isOwnerOperand,
  type CreatePlan,
  type ListCreatePlan,
  type ListRow,
  type ListUpdatePlan,
  type OwnerOperand,
  type UpdatePlan,
  type WriteRow,
} from './write-plan.js';
import type { Scalar } from './parsed-value.js';

/** The values that the rows of a list take from their owner. */
export interface OwnerValues {
  /** Values of the relation's `references`, in their order. */
  readonly references: readonly Scalar[];
  /** The last position in the list; 0 where there is none. */
  readonly end: number;
}

/** The values of plans without an owner. */
export const noOwnerValues: OwnerValues = { references: [], end: 0 };

/** Binds a create plan. @throws FAILED_VALIDATION, FORBIDDEN from checks that depend on the owner */
export const bindCreate = ({ checks, ...plan }: ListCreatePlan, owner: OwnerValues): CreatePlan => {
  for (const check of checks) checkOwner(check, owner.references);
  return { ...plan, rows: plan.rows.map((row) => bindRow(row, owner)) };
};

/** Binds an update plan. @throws as `bindCreate` */
export const bindUpdate = ({ check, ...plan }: ListUpdatePlan, owner: OwnerValues): UpdatePlan => {
  const row = bindRow(plan.row, owner);
  if (check === null) return { ...plan, row };
  const grant = checkOwner(check, owner.references);
  if (grant === plan.grant) return { ...plan, row };
  return { ...plan, row, grant, where: updateCondition(grant, plan.writtenNames, check.context.writing) };
};

/** Returns the same row where it contains no operand of the owner. */
const bindRow = (row: ListRow, owner: OwnerValues): WriteRow => {
  if (isBound(row)) return row;
  const bound = new Map<string, Scalar | null>();
  for (const [name, value] of row) bound.set(name, isOwnerOperand(value) ? bindOperand(value, owner) : value);
  return bound;
};

const bindOperand = (operand: OwnerOperand, { references, end }: OwnerValues): Scalar | null => {
  if (operand.from === 'parent') return null;
  return operand.from === 'owner'
    ? (references[operand.index] ?? null)
    : toPosition(operand.field, end + operand.offset);
};

const isBound = (row: ListRow): row is WriteRow => {
  for (const value of row.values()) if (isOwnerOperand(value)) return false;
  return true;
};

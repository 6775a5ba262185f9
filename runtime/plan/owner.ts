/** Plans of a list, with the values of the owner in place of the operands. */
import { updateCondition } from './update-condition.js';
import { checkOwner } from './row-validation.js';
import {
  isOperand,
  type CreatePlan,
  type ListCreatePlan,
  type ListRow,
  type ListUpdatePlan,
  type UpdatePlan,
  type WriteRow,
} from './write-plan.js';
import type { Scalar } from './values.js';

/** Values of an owner, in step with the `references` of the relation. */
export type OwnerValues = readonly Scalar[];

/** @throws FAILED_VALIDATION, FORBIDDEN for what is decided only now */
export const bindCreate = ({ checks, ...plan }: ListCreatePlan, owner: OwnerValues): CreatePlan => {
  for (const check of checks) checkOwner(check, owner);
  return { ...plan, rows: plan.rows.map((row) => bindRow(row, owner)) };
};

/** @throws as `bindCreate` */
export const bindUpdate = ({ check, written, ...plan }: ListUpdatePlan, owner: OwnerValues): UpdatePlan => {
  const row = bindRow(plan.row, owner);
  if (check === null) return { ...plan, row };
  const grant = checkOwner(check, owner);
  if (grant === plan.grant) return { ...plan, row };
  return { ...plan, row, grant, where: updateCondition(grant, written, check.context.writing) };
};

/** The same row where it takes nothing of its owner. */
const bindRow = (row: ListRow, owner: OwnerValues): WriteRow => {
  if (isBound(row)) return row;
  const bound = new Map<string, Scalar | null>();
  for (const [name, value] of row) bound.set(name, isOperand(value) ? (owner[value.index] ?? null) : value);
  return bound;
};

const isBound = (row: ListRow): row is WriteRow => {
  for (const value of row.values()) if (isOperand(value)) return false;
  return true;
};

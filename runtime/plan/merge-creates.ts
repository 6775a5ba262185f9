/** Joins create plans. Pure. */
import type { CreatePlan } from './write-plan.js';

/** Joins plans of one collection, whose rows are then written together. */
export const mergeCreates = (first: CreatePlan, plans: readonly CreatePlan[]): CreatePlan => {
  if (plans.length === 1) return first;
  const starts: number[] = [];
  plans.reduce((start, { rows }) => (starts.push(start), start + rows.length), 0);
  const shift = <Part extends { readonly rowIndex: number }>(part: Part, plan: number): Part => ({
    ...part,
    rowIndex: part.rowIndex + (starts[plan] ?? 0),
  });
  return {
    ...first,
    rows: plans.flatMap(({ rows }) => rows),
    locations: plans.flatMap(({ locations }) => locations),
    parents: plans.flatMap(({ parents }, plan) => parents.map((part) => shift(part, plan))),
    lists: plans.flatMap(({ lists }, plan) =>
      lists.map((list) => ({ ...list, ownerIndex: list.ownerIndex + (starts[plan] ?? 0) })),
    ),
    stored: plans.flatMap(({ stored }, plan) => stored.map((part) => shift(part, plan))),
    references: plans.flatMap(({ references }, plan) => references.map((part) => shift(part, plan))),
  };
};

/** Plans objects under many-to-one relations: rows that are written before the row that refers to them. */
import type { Collection, ToOne } from '../../contract/collection.js';
import { invalidPayload, type ApiError } from '../../contract/errors.js';
import { planAlternatives } from './alternatives.js';
import { bindCreate, noOwnerValues } from './owner-operands.js';
import { collectLocated, isRefusal, planOrRefuse } from './problem-collection.js';
import { rowsWithReadable } from './references.js';
import { noOwner, type PayloadLevel } from './row-context.js';
import type { RowPlanners } from './row-plans.js';
import { keyOfParent, type ParentValue } from './payload-relations.js';
import type { ParentPlan, Refusal } from './write-plan.js';

/** Plans the parents of one row; adds their faults to the problems of the level. */
export const planParents = (
  values: readonly ParentValue[],
  { rowIndex, level }: { readonly rowIndex: number; readonly level: PayloadLevel },
  planners: RowPlanners,
): readonly ParentPlan[] =>
  values.flatMap((parent) => {
    const below = parentLevel(parent.relation, level);
    const plan = collectLocated(below, () => {
      requireDepth(below);
      return planParent(parent, below, planners);
    });
    return plan === null ? [] : { ...plan, rowIndex };
  });

const parentLevel = ({ name, anyOf }: ToOne, level: PayloadLevel): PayloadLevel => ({
  ...level,
  path: [...level.path, anyOf?.relation ?? name],
  pointer: [...level.pointer, anyOf?.relation ?? name],
  rowPointers: null,
  owner: noOwner,
  positions: null,
});

/** Requires that a payload crosses no more relations than allowed. @throws INVALID_PAYLOAD */
export const requireDepth = ({ path, writing: { maxDepth } }: PayloadLevel): void => {
  if (path.length > maxDepth)
    throw invalidPayload(`"${path.join('.')}" crosses more than ${maxDepth} relations`);
};

type Planned = Omit<ParentPlan, 'rowIndex'>;

const planParent = (
  { relation, value }: ParentValue,
  level: PayloadLevel,
  planners: RowPlanners,
): Planned => {
  const { collection } = relation;
  const key = keyOfParent(relation, value);
  const readable = rowsWithReadable(relation.references, collection, level.writing);
  if (key === null) {
    const create = planOrRefuse((problems) =>
      bindCreate(planners.planRows(collection, [value], { ...level, problems }), noOwnerValues),
    );
    if (isRefusal(create)) level.problems.push(...create.problems);
    return { relation, key, readable, update: null, create };
  }
  const identity = new Set(collection.key.map(({ name }) => name));
  const isChange = Object.keys(value).some((name) => !identity.has(name));
  const { update, create: added } = planAlternatives(
    collection,
    { key, payload: value, identity, isChange },
    { level, planners },
  );
  const isCreatable = isKeyChosen(collection) && !(isRefusal(added) && isForbidden(added.problems));
  const create = isCreatable ? added : null;
  if (update !== null && isRefusal(update)) level.problems.push(...findCommonProblems(update, create));
  return { relation, key, readable, update, create };
};

/**
 * Returns the problems of an object that is refused whether its row is stored or not: those of the change, since a new row
 * may also lack fields that a stored row has; where nothing may be changed, those of the new row.
 */
const findCommonProblems = (update: Refusal, create: Planned['create']): readonly ApiError[] => {
  if (create === null) return update.problems;
  if (!isRefusal(create)) return [];
  return isForbidden(update.problems) ? create.problems : update.problems;
};

/** Returns whether clients choose the key of new rows. */
export const isKeyChosen = ({ key }: Collection): boolean =>
  key.every(({ auto, generated }) => auto !== true && generated !== true);

/** Returns whether something may not be written at all, which is answered as for a row that does not exist. */
export const isForbidden = (problems: readonly ApiError[]): boolean =>
  problems.some(({ code }) => code === 'FORBIDDEN');

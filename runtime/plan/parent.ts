/** Plans objects under many-to-one relations: rows that are written before the row that refers to them. */
import type { Collection, ToOne } from '../../contract/collection.js';
import { invalidPayload, type ApiError } from '../../contract/errors.js';
import { readKey } from './item.js';
import { bindCreate, bindUpdate, noOwnerValues } from './owner.js';
import { collectProblems, isRefusal, planOrRefuse } from './problem-collection.js';
import { rowsWithReadable } from './references.js';
import { noOwner, type LevelContext, type Payload } from './row-context.js';
import type { Key, ListCreatePlan, ListUpdatePlan, ParentPlan } from './write-plan.js';

/** An object in a payload under a many-to-one relation. */
export interface ParentValue {
  readonly relation: ToOne;
  readonly value: Payload;
}

/** Plans rows and changes of any collection; parents are planned like other rows. */
export interface RowPlanners {
  planRows(collection: Collection, payloads: readonly unknown[], level: LevelContext): ListCreatePlan;
  planChange(
    collection: Collection,
    change: { readonly key: Key; readonly payload: Payload },
    level: LevelContext & { readonly index: null },
  ): ListUpdatePlan;
}

/** Returns the key in an object, or null where it has none. @throws FORBIDDEN for an invalid key */
export const keyOfParent = ({ collection }: ToOne, value: Payload): Key | null => {
  const parts = collection.key.map(({ name }) => value[name] ?? null);
  return parts.length === 0 || parts.includes(null) ? null : readKey(collection, parts);
};

/** Plans the parents of one row; adds their faults to the problems of the level. */
export const planParents = (
  values: readonly ParentValue[],
  { rowIndex, level }: { readonly rowIndex: number; readonly level: LevelContext },
  planners: RowPlanners,
): readonly ParentPlan[] =>
  values.flatMap((parent) => {
    const below = parentLevel(parent.relation, level);
    const plan = collectProblems(level.problems, () => {
      requireDepth(below);
      return planParent(parent, below, planners);
    });
    return plan === null ? [] : { ...plan, rowIndex };
  });

const parentLevel = ({ name, anyOf }: ToOne, level: LevelContext): LevelContext => ({
  ...level,
  path: [...level.path, anyOf?.relation ?? name],
  owner: noOwner,
  positions: null,
});

/** @throws INVALID_PAYLOAD where the payload crosses too many relations */
export const requireDepth = ({ path, writing: { maxDepth } }: LevelContext): void => {
  if (path.length > maxDepth)
    throw invalidPayload(`"${path.join('.')}" crosses more than ${maxDepth} relations`);
};

type Planned = Omit<ParentPlan, 'rowIndex'>;

const planParent = (
  { relation, value }: ParentValue,
  level: LevelContext,
  planners: RowPlanners,
): Planned => {
  const { collection } = relation;
  const key = keyOfParent(relation, value);
  const readable = rowsWithReadable(relation.references, collection, level.writing);
  const create = planOrRefuse((problems) =>
    bindCreate(planners.planRows(collection, [value], { ...level, problems }), noOwnerValues),
  );
  if (key === null) {
    if (isRefusal(create)) level.problems.push(...create.problems);
    return { relation, key, readable, update: null, create };
  }
  const payload = withoutKey(collection, value);
  const update =
    Object.keys(payload).length === 0
      ? null
      : planOrRefuse((problems) =>
          bindUpdate(
            planners.planChange(collection, { key, payload }, { ...level, problems, index: null }),
            noOwnerValues,
          ),
        );
  const isCreatable = isKeyChosen(collection) && !(isRefusal(create) && isForbidden(create.problems));
  if (!isCreatable && update !== null && isRefusal(update)) level.problems.push(...update.problems);
  return { relation, key, readable, update, create: isCreatable ? create : null };
};

/** Returns whether clients choose the key of new rows. */
export const isKeyChosen = ({ key }: Collection): boolean =>
  key.every(({ auto, generated }) => auto !== true && generated !== true);

/** Returns whether something may not be written at all, which is answered as for a row that does not exist. */
export const isForbidden = (problems: readonly ApiError[]): boolean =>
  problems.some(({ code }) => code === 'FORBIDDEN');

const withoutKey = ({ key }: Collection, value: Payload): Payload => {
  const names = new Set(key.map(({ name }) => name));
  return Object.fromEntries(Object.entries(value).filter(([name]) => !names.has(name)));
};

/** Plans objects under many-to-one relations: rows that are written before the row that refers to them. */
import type { Collection, ToOne } from '../../contract/collection.js';
import { invalidPayload, type ApiError } from '../../contract/errors.js';
import { bindCreate, bindUpdate, noOwnerValues } from './owner.js';
import { collectProblems, isRefusal, planOrRefuse } from './problem-collection.js';
import { rowsWithReadable } from './references.js';
import { noOwner, type LevelContext, type Payload } from './row-context.js';
import {
  readChange,
  readNewRow,
  requireGrant,
  toCreatePlan,
  toUpdatePlan,
  type RelatedPlans,
  type RowPlanners,
} from './row-plans.js';
import { keyOfParent, type ParentValue, type PlannedRow } from './row.js';
import type { CreatePlan, Key, ParentPlan, Refusal } from './write-plan.js';

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
  if (key === null) {
    const create = planOrRefuse((problems) =>
      bindCreate(planners.planRows(collection, [value], { ...level, problems }), noOwnerValues),
    );
    if (isRefusal(create)) level.problems.push(...create.problems);
    return { relation, key, readable, update: null, create };
  }
  const { update, create } = planNamedParent(collection, { key, value }, { level, planners });
  const isCreatable = isKeyChosen(collection) && !(isRefusal(create) && isForbidden(create.problems));
  if (!isCreatable && update !== null && isRefusal(update)) level.problems.push(...update.problems);
  return { relation, key, readable, update, create: isCreatable ? create : null };
};

/**
 * Plans both cases, since only the stored rows show whether there is a row with the key. Related rows are the same in
 * both, and planned once.
 */
const planNamedParent = (
  collection: Collection,
  { key, value }: { readonly key: Key; readonly value: Payload },
  { level, planners }: { readonly level: LevelContext; readonly planners: RowPlanners },
): { readonly update: ParentPlan['update']; readonly create: CreatePlan | Refusal } => {
  const payload = withoutKey(collection, value);
  const isChange = Object.keys(payload).length > 0;
  const added = readWithProblems(level, (own) => {
    const grant = requireGrant(collection, 'create', level.writing);
    return readNewRow(value, { grant, rowIndex: 0, count: 1 }, own);
  });
  const changed = readWithProblems(level, (own) =>
    isChange ? readChange(collection, { key, payload }, { ...own, index: null }) : null,
  );
  const related = planOrRefuse((problems) =>
    planners.planRelated(
      joinRelated([changed.row, added.row]),
      { collection, rowIndex: 0, row: new Map(), key },
      { ...level, problems },
    ),
  );
  const update = planReadRow(changed, related, (row, plans) =>
    bindUpdate(toUpdatePlan(row, plans, { ...level, problems: [], index: null }), noOwnerValues),
  );
  const create = planReadRow(added, related, (row, plans) =>
    bindCreate(toCreatePlan(requireGrant(collection, 'create', level.writing), [row], plans), noOwnerValues),
  );
  return { update: isChange ? update : null, create };
};

/** A row of a payload with its problems; the row is null where reading it threw them. */
interface ReadRow<Row> {
  readonly row: Row | null;
  readonly problems: readonly ApiError[];
}

/** Reads a row with a problem list of its own. */
const readWithProblems = <Row>(level: LevelContext, read: (level: LevelContext) => Row): ReadRow<Row> => {
  const problems: ApiError[] = [];
  const row = collectProblems(problems, () => read({ ...level, problems }));
  return { row, problems };
};

type RelatedValues = Pick<PlannedRow, 'parents' | 'lists'>;

/** Joins the related rows of readings of one payload, which differ by the fields that the caller may write. */
const joinRelated = (rows: readonly (RelatedValues | null)[]): RelatedValues => ({
  parents: distinctRelations(rows.flatMap((row) => row?.parents ?? [])),
  lists: distinctRelations(rows.flatMap((row) => row?.lists ?? [])),
});

const distinctRelations = <Value extends { readonly relation: { readonly name: string } }>(
  values: readonly Value[],
): readonly Value[] => [...new Map(values.map((value) => [value.relation.name, value])).values()];

const planReadRow = <Row, Plan extends object>(
  { row, problems }: ReadRow<Row | null>,
  related: RelatedPlans | Refusal,
  plan: (row: Row, related: RelatedPlans) => Plan,
): Plan | Refusal => {
  if (isRefusal(related)) return { problems: [...problems, ...related.problems] };
  if (row === null || problems.length > 0) return { problems };
  return planOrRefuse(() => plan(row, related));
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

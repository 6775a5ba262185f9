/** Plans a payload whose row may be stored already: as a change of that row, and as a new one. */
import type { Collection } from '../../contract/collection.js';
import type { ApiError } from '../../contract/errors.js';
import { isObject } from '../../contract/objects.js';
import { bindCreate, bindUpdate, noOwnerValues } from './owner-operands.js';
import { collectLocated, isRefusal, planOrRefuse } from './problem-collection.js';
import type { PayloadLevel } from './row-context.js';
import {
  readChange,
  readNewRow,
  requireGrant,
  toCreatePlan,
  toUpdatePlan,
  type RelatedPlans,
  type RowPlanners,
} from './row-plans.js';
import type { PlannedRow } from './row.js';
import type { CreatePlan, Key, ListRow, Refusal, UpdatePlan } from './write-plan.js';

export interface IdentifiedPayload {
  /** The key of the row; `null` where other fields identify it. */
  readonly key: Key | null;
  readonly payload: unknown;
  /** Names of the fields that identify the row, which a change leaves as they are. */
  readonly identity: ReadonlySet<string>;
  /** True where a stored row is changed. */
  readonly isChange: boolean;
}

export interface Alternatives {
  /** The values of the new row; `null` where the payload is not even an object. */
  readonly row: ListRow | null;
  readonly create: CreatePlan | Refusal;
  /** `null`: a stored row stays as it is. */
  readonly update: UpdatePlan | Refusal | null;
}

/**
 * Plans both cases, since only the stored rows show whether there is such a row. Related rows are the same in both, and
 * planned once.
 */
export const planAlternatives = (
  collection: Collection,
  { key, payload, identity, isChange }: IdentifiedPayload,
  { level, planners }: { readonly level: PayloadLevel; readonly planners: RowPlanners },
): Alternatives => {
  const added = readWithProblems(level, (own) => {
    const grant = requireGrant(collection, 'create', level.writing);
    return readNewRow(payload, { grant, position: null }, own);
  });
  const changed = readWithProblems(level, (own) =>
    isChange ? readChange(collection, { key, payload: withoutFields(payload, identity) }, own) : null,
  );
  const related = planOrRefuse((problems) =>
    planners.planRelated(
      joinRelated([changed.row, added.row]),
      { collection, rowIndex: 0, row: new Map(), key },
      { ...level, problems },
    ),
  );
  const update = planReadRow(changed, related, (row, plans) =>
    bindUpdate(toUpdatePlan(row, plans, { ...level, problems: [] }), noOwnerValues),
  );
  const create = planReadRow(added, related, (row, plans) =>
    bindCreate(toCreatePlan(requireGrant(collection, 'create', level.writing), [row], plans), noOwnerValues),
  );
  return { row: added.row?.row ?? null, create, update: isChange ? update : null };
};

const withoutFields = (payload: unknown, names: ReadonlySet<string>): unknown =>
  isObject(payload)
    ? Object.fromEntries(Object.entries(payload).filter(([name]) => !names.has(name)))
    : payload;

/** A row of a payload with its problems; the row is null where reading it threw them. */
interface ReadRow<Row> {
  readonly row: Row | null;
  readonly problems: readonly ApiError[];
}

/** Reads a row with a problem list of its own. */
const readWithProblems = <Row>(level: PayloadLevel, read: (level: PayloadLevel) => Row): ReadRow<Row> => {
  const problems: ApiError[] = [];
  const own = { ...level, problems };
  const row = collectLocated(own, () => read(own));
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

/** Plans creates whose rows may be stored already: `on_conflict`. */
import type { Grant } from '../access/grant.js';
import type { Collection, Field } from '../../contract/collection.js';
import { isMasked } from '../../contract/fields.js';
import { invalidPayload, invalidQuery, throwProblems, type ApiError } from '../../contract/errors.js';
import { isObject } from '../../contract/objects.js';
import { quoted } from '../../contract/quoted.js';
import type { OnConflict } from '../request/on-conflict.js';
import { planAlternatives, type Alternatives } from './alternatives.js';
import { collectLocated, isRefusal } from './problem-collection.js';
import { isOfSeveral, itemLevel, type PayloadLevel } from './row-context.js';
import { rowsWithReadable } from './references.js';
import { requireGrant, type RowPlanners } from './row-plans.js';
import type { Scalar } from './parsed-value.js';
import { conditionFalse, conditionTrue, type Condition } from './types.js';
import { isOwnerOperand, type Key, type ListRow, type UpsertPlan, type UpsertRow } from './write-plan.js';

/**
 * Plans each row as a new one and as a change of a stored one. What only one of the two cases forbids is reported when the
 * row turns out to be that case; with `ignore`, every row has to be valid as a new one.
 * @throws FORBIDDEN, INVALID_PAYLOAD, INVALID_QUERY, FAILED_VALIDATION, VALUE_TOO_LONG, VALUE_OUT_OF_RANGE
 */
export const planUpsertRows = (
  collection: Collection,
  { payloads, onConflict }: { readonly payloads: readonly unknown[]; readonly onConflict: OnConflict },
  { level, planners }: { readonly level: PayloadLevel; readonly planners: RowPlanners },
): UpsertPlan => {
  const grant = requireGrant(collection, 'create', level.writing);
  if (onConflict.action === 'update') requireGrant(collection, 'update', level.writing);
  const fields = findUniqueFields(onConflict.conflict, grant);
  const keyNames = new Set(collection.key.map(({ name }) => name));
  const identity = new Set([...keyNames, ...fields.map(({ name }) => name)]);
  const isChange = onConflict.action === 'update';
  const isByKey = fields.every(({ name }) => keyNames.has(name));
  const rows = payloads.map((payload, rowIndex): UpsertRow => {
    const own = isOfSeveral(payloads, level.writing) ? itemLevel(level, rowIndex) : level;
    const planned = planAlternatives(
      collection,
      { key: null, payload, identity, isChange },
      { level: own, planners },
    );
    const { create, update } = planned;
    const known = level.problems.length;
    level.problems.push(...findCommonProblems(planned, isChange));
    if (level.problems.length > known) return { tuple: null, key: noKey, create, update };
    const tuple = collectLocated(own, () => readTuple(planned.row, { fields, isByKey, level }));
    // a row without these values can only be new
    if (tuple === null && level.problems.length === known && isRefusal(create))
      level.problems.push(...create.problems);
    return { tuple, key: givenKey(planned.row, { payload, collection }), create, update };
  });
  throwProblems(level.problems);
  const shown = isByKey || grant.admin ? conditionTrue : shownRows(fields, collection, level.writing);
  return { collection, grant, fields, shown, rows };
};

/**
 * Returns the rows whose values of the fields the caller may read. To show others would tell which row has a value that
 * the caller tries; the key of a row is no secret.
 */
const shownRows = (
  fields: readonly Field[],
  collection: Collection,
  writing: PayloadLevel['writing'],
): Condition =>
  fields.some(isMasked)
    ? conditionFalse
    : rowsWithReadable(
        fields.map(({ name }) => name),
        collection,
        writing,
      );

const noKey: UpsertRow['key'] = new Map();

/** Returns the problems that a row has in both cases. */
const findCommonProblems = ({ create, update }: Alternatives, isChange: boolean): readonly ApiError[] => {
  if (!isRefusal(create)) return [];
  return !isChange || (update !== null && isRefusal(update)) ? create.problems : [];
};

interface TupleOptions {
  readonly fields: readonly Field[];
  readonly isByKey: boolean;
  readonly level: PayloadLevel;
}

/** Returns the values by which a stored row is found; adds a problem where the payload leaves one open. */
const readTuple = (row: ListRow | null, { fields, isByKey, level }: TupleOptions): Key | null => {
  const tuple: Scalar[] = [];
  for (const { name } of fields) {
    const value = row?.get(name);
    if (value !== undefined && value !== null && !isOwnerOperand(value)) tuple.push(value);
    else if (value === undefined ? !isByKey : value !== null)
      level.problems.push(invalidPayload(`"${name}" needs a value, because "conflict" compares it`));
  }
  return tuple.length === fields.length ? tuple : null;
};

/** Returns the values of the key that the payload gives, without one that is made for a new row, such as a UUID. */
const givenKey = (
  row: ListRow | null,
  { payload, collection }: { readonly payload: unknown; readonly collection: Collection },
): UpsertRow['key'] => {
  const values = collection.key.flatMap(({ name }): [string, Scalar][] => {
    const value = isObject(payload) && Object.hasOwn(payload, name) ? (row?.get(name) ?? null) : null;
    return value === null || isOwnerOperand(value) ? [] : [[name, value]];
  });
  return new Map(values);
};

/**
 * Returns the fields of a constraint by its name, or of the constraint that consists of the named fields; the key by
 * default. @throws INVALID_QUERY
 */
const findUniqueFields = (names: readonly string[] | null, grant: Grant): readonly Field[] => {
  const { collection } = grant;
  if (names === null && collection.key.length > 0) return collection.key;
  const candidates = uniqueConstraints(grant);
  const [first = ''] = names ?? [];
  const found =
    (names?.length === 1 ? candidates.get(first) : undefined) ??
    [...candidates.values()].find((fields) => hasNames(fields, names ?? []));
  if (found !== undefined) return found;
  const choices = new Set([...candidates.values()].map((fields) => fields.map(({ name }) => name).join(',')));
  throw invalidQuery(
    `"conflict" takes the fields of a unique constraint of "${collection.name}", or its name: ${quoted(choices) || 'there is none'}`,
  );
};

/** Returns the unique constraints, the key first, of fields that the caller or a preset may set. */
const uniqueConstraints = ({ collection, fields, presets }: Grant): ReadonlyMap<string, readonly Field[]> => {
  const constraints = [
    ...(collection.key.length > 0 ? [['', collection.key] as const] : []),
    ...[...collection.uniques].map(
      ([name, names]) => [name, names.flatMap((each) => collection.fields.get(each) ?? [])] as const,
    ),
  ];
  return new Map(
    constraints.filter(([, members]) =>
      members.every(({ name }) => fields.has(name) || Object.hasOwn(presets, name)),
    ),
  );
};

const hasNames = (fields: readonly Field[], names: readonly string[]): boolean =>
  fields.length === names.length && fields.every(({ name }) => names.includes(name));

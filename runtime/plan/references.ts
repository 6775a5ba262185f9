/**
 * Plans the checks of keys that a payload sets on relations with a foreign key: a row that the caller may not read counts
 * as missing. Presets and values that the server sets are not checked, nor is the caller's own user.
 */
import type { AnyOf, Collection, ToOne } from '../../contract/collection.js';
import { isObject } from '../../contract/objects.js';
import type { Payload, RowContext } from './row-context.js';
import { ruleToCondition } from './rule.js';
import { fieldRule, openScope, type PlanContext } from './scope.js';
import { allOf, conditionFalse, type Condition } from './types.js';
import type { ListRow } from './write-plan.js';

/** A relation whose key the payload sets, and of whose target the caller may not read every key. */
export interface ReferenceCheck {
  readonly relation: ToOne;
  /** Rows of the target whose key the caller may read. */
  readonly readable: Condition;
  /** Rows of the referring collection whose stored key the caller may read, and therefore send again. */
  readonly readableStored: Condition;
}

const none: readonly ReferenceCheck[] = [];

/** Returns the checks of a row; none where the caller may read every key, so that the database's foreign key suffices. */
export const planReferences = (
  payload: Payload,
  row: ListRow,
  { grant, writing }: Pick<RowContext, 'grant' | 'writing'>,
): readonly ReferenceCheck[] => {
  const items = grant.collection.anyTargets.size === 0 ? none : planItems(payload, row, { grant, writing });
  if (grant.admin || grant.collection.foreignKeys.length === 0) return items;
  const references = grant.collection.foreignKeys.flatMap((relation) => {
    const isSet = relation.fields.some(
      // rows that are written as objects are checked when they are
      (name) => Object.hasOwn(payload, name) && (row.get(name) ?? null) !== null && !isObject(payload[name]),
    );
    if (!isSet || isOwnUser(relation, row, writing.fills.user)) return [];
    const check = checkOf(grant.collection, relation, writing);
    return check.readable.kind === 'true' ? [] : [check];
  });
  return [...references, ...items];
};

/** Returns the checks of many-to-any relations, for which there are no foreign keys: the item exists for the caller. */
const planItems = (
  payload: Payload,
  row: ListRow,
  { grant: { collection }, writing }: Pick<RowContext, 'grant' | 'writing'>,
): readonly ReferenceCheck[] =>
  [...collection.anyTargets.values()].flatMap((relation) => {
    const { keyField, collectionField } = relation.anyOf as AnyOf;
    const value = payload[keyField.name] ?? null;
    const isSet = value !== null && !isObject(value) && row.has(keyField.name);
    return isSet && row.get(collectionField.name) === relation.target
      ? [checkOf(collection, relation, writing)]
      : [];
  });

const isOwnUser = ({ target, references, fields }: ToOne, row: ListRow, user: string | null): boolean =>
  user !== null &&
  target === 'svc_users' &&
  references.join() === 'id' &&
  // uuids are compared in lower case, as some databases do
  row.get(fields[0] ?? '') === user.toLowerCase();

/** Returns the check of a relation, which depends on the policies only. */
const checkOf = (collection: Collection, relation: ToOne, context: PlanContext): ReferenceCheck => {
  const { cache } = context.policies;
  const cached = cache.get(relation) as ReferenceCheck | undefined;
  if (cached !== undefined) return cached;
  const check = {
    relation,
    readable: rowsWithReadable(relation.references, relation.collection, context),
    readableStored: rowsWithReadable(storedFields(relation), collection, context),
  };
  cache.set(relation, check);
  return check;
};

/** Returns the fields that store which row a relation refers to. */
export const storedFields = ({ fields, anyOf }: ToOne): readonly string[] =>
  anyOf === undefined ? fields : [...fields, anyOf.collectionField.name];

/** Returns the condition for the rows in which the caller may read all of the fields. */
export const rowsWithReadable = (
  names: readonly string[],
  collection: Collection,
  context: PlanContext,
): Condition => {
  const grant = context.policies.grant(collection, 'read');
  if (grant === null || !names.every((name) => grant.fields.has(name))) return conditionFalse;
  const scope = openScope(collection, 'read', context);
  const rules = names.map((name) => fieldRule(scope, name)).filter((rule) => rule !== null);
  return allOf([ruleToCondition(grant.rows, scope), ...rules]);
};

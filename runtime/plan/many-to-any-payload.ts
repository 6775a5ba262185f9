/** Reads many-to-any relations in payloads: the collection in one field, a key or an object of it in another. */
import type { Collection, Field, ToAny, ToOne } from '../../contract/collection.js';
import { invalidPayload } from '../../contract/errors.js';
import { fieldTypes } from '../../contract/field-types.js';
import type { Payload, RowContext } from './row-context.js';
import type { Scalar } from './parsed-value.js';
import { readValue } from './values.js';

/**
 * Replaces names such as `item:works` by the fields that they stand for.
 * @throws INVALID_PAYLOAD where a payload names several items of one relation
 */
export const openTargets = (payload: Payload, { anyTargets }: Collection): Payload => {
  const named = anyTargets.size === 0 ? [] : Object.keys(payload).filter((name) => anyTargets.has(name));
  if (named.length === 0) return payload;
  const opened = { ...payload };
  const openedBy = new Map<string, string>();
  for (const name of named) {
    const { anyOf, target } = anyTargets.get(name) as ToOne;
    const fields = [anyOf?.collectionField.name ?? '', anyOf?.keyField.name ?? ''];
    const [collectionField = '', keyField = ''] = fields;
    const other = openedBy.get(keyField);
    if (other !== undefined)
      throw invalidPayload(`"${other}" and "${name}" are two items of one relation; give one of them`);
    openedBy.set(keyField, name);
    if (fields.some((field) => Object.hasOwn(opened, field)))
      throw invalidPayload(
        `"${name}" stands for ${fields.map((field) => `"${field}"`).join(' and ')}; leave these out`,
      );
    opened[collectionField] = target;
    opened[keyField] = payload[name];
    delete opened[name];
  }
  return opened;
};

/** Returns the target that a row names for a relation, or null where there is none. */
export const findTarget = ({ targets, collectionField }: ToAny, given: Payload): ToOne | null =>
  targets.find(({ target }) => target === given[collectionField]) ?? null;

/** Returns the many-to-any relation of a field, or null. */
export const findToAny = (name: string, { relations }: Collection): ToAny | null => {
  const relation = relations.get(name);
  return relation?.kind === 'manyToAny' ? relation : null;
};

/** Adds problems of a row's many-to-any relations. Those with a field that the caller may not write are reported without names. */
export const reportTargets = (payload: Payload, given: Payload, context: RowContext): void => {
  const { collection, fields } = context.grant;
  if (collection.anyTargets.size === 0) return;
  for (const relation of collection.relations.values()) {
    if (relation.kind !== 'manyToAny') continue;
    const names = [relation.field, relation.collectionField];
    const set = names.filter((name) => isGiven(payload, name));
    // fields that the caller may not write are reported where they are read
    if (set.length === 0 || !set.every((name) => fields.has(name))) continue;
    const reason = targetProblem(relation, payload, { given, action: context.action });
    if (reason === null) continue;
    const isWhole = names.every((name) => fields.has(name));
    context.problems.push(
      invalidPayload(
        isWhole ? reason : `"${set[0]}" is part of a relation of which you may not write the rest`,
      ),
    );
  }
};

const targetProblem = (
  relation: ToAny,
  payload: Payload,
  { given, action }: { readonly given: Payload; readonly action: RowContext['action'] },
): string | null => {
  const { field, collectionField } = relation;
  if (isGiven(payload, field) && !isGiven(given, collectionField))
    return `"${field}" needs "${collectionField}", the collection of the item`;
  if (findTarget(relation, given) === null)
    return `"${collectionField}" names no collection whose items "${field}" can refer to`;
  // the stored key belongs to an item of another collection
  return action === 'update' && isGiven(payload, collectionField) && !Object.hasOwn(given, field)
    ? `"${collectionField}" is set together with "${field}"`
    : null;
};

const isGiven = (values: Payload, name: string): boolean => (values[name] ?? null) !== null;

/** Returns the key of an item as the relation's field stores it. */
export const toStoredKey = ({ anyOf }: ToOne, key: Scalar): Scalar =>
  anyOf === undefined || !isStoredAsText(anyOf.keyField) ? key : String(key);

/** Returns the key that a relation's field stores as a key of the target, or null where it is none. */
export const fromStoredKey = ({ collection, anyOf }: ToOne, stored: Scalar): Scalar | null => {
  const [key] = collection.key;
  if (anyOf === undefined || key === undefined) return stored;
  const read = readValue(key, stored);
  return read.ok ? read.value : null;
};

const isStoredAsText = ({ type }: Field): boolean => fieldTypes[type].isText === true || type === 'uuid';

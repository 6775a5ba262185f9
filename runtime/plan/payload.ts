/** Brings payloads into the form that rows are read from. */
import type { Collection, Relation, ToOne } from '../../contract/collection.js';
import { isObject } from '../../contract/objects.js';
import { findTarget, openTargets } from './many-to-any-payload.js';
import type { Payload } from './row-context.js';

/**
 * Returns a payload whose names are all fields or relations. An object of nothing but a key that the database generates is
 * that key: no item can be created or changed by it.
 * @throws INVALID_PAYLOAD where a payload names several items of one relation
 */
export const normalizePayload = (payload: Payload, collection: Collection): Payload => {
  const opened = openTargets(payload, collection);
  let changed: Record<string, unknown> | null = null;
  for (const [name, value] of Object.entries(opened)) {
    if (!isObject(value)) continue;
    const key = onlyKey(value, targetOf(collection.relations.get(name), opened));
    if (key !== null) (changed ??= { ...opened })[name] = value[key];
  }
  return changed ?? opened;
};

const targetOf = (relation: Relation | undefined, payload: Payload): ToOne | null => {
  if (relation?.kind === 'manyToOne') return relation;
  return relation?.kind === 'manyToAny' ? findTarget(relation, payload) : null;
};

/** Returns the name of the key that an object consists of, or null for other objects. */
const onlyKey = (value: Payload, target: ToOne | null): string | null => {
  const [key, ...others] = target?.collection.key ?? [];
  if (target === null || key?.auto !== true || others.length > 0) return null;
  const [name, ...rest] = Object.keys(value);
  const isReference = target.references.length === 1 && target.references[0] === key.name;
  return isReference && name === key.name && rest.length === 0 && (value[name] ?? null) !== null
    ? name
    : null;
};

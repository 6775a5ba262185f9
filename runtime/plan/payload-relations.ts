/** Finds the relations that a payload writes: lists, and items in place of keys. */
import type { Grant } from '../access/grant.js';
import type { ToMany, ToOne } from '../../contract/collection.js';
import { isObject } from '../../contract/objects.js';
import { findTarget } from './many-to-any-payload.js';
import { readKey } from './item.js';
import type { Payload } from './row-context.js';
import type { Key } from './write-plan.js';

export interface ListValue {
  readonly relation: ToMany;
  /** The value as the client sent it. */
  readonly value: unknown;
}

/** An object in a payload under a many-to-one relation. */
export interface ParentValue {
  readonly relation: ToOne;
  readonly value: Payload;
}

/** Returns the list relation of a name, or null where it is none that the caller may write. */
export const findList = (name: string, { collection, fields }: Grant): ToMany | null => {
  const relation = collection.relations.get(name);
  return relation?.kind === 'oneToMany' && fields.has(name) ? relation : null;
};

/**
 * Returns whether a name is that of a many-to-one relation alone, since its key has several columns, and the caller may write
 * these. To others it is an unknown name.
 */
export const isCompositeParent = (name: string, { collection, fields }: Grant): boolean => {
  const relation = collection.relations.get(name);
  if (relation?.kind !== 'manyToOne' || collection.fields.has(name)) return false;
  return relation.fields.every((column) => fields.has(column));
};

/** Returns an object that stands in place of a key, or null where the value is none. */
export const findParent = (name: string, given: Payload, grant: Grant): ParentValue | null => {
  const value = given[name];
  if (!isObject(value)) return null;
  const { collection } = grant;
  const relation = collection.relations.get(name);
  if (relation?.kind === 'manyToOne')
    return collection.fields.has(name) || isCompositeParent(name, grant) ? { relation, value } : null;
  const target = relation?.kind === 'manyToAny' ? findTarget(relation, given) : null;
  return target === null ? null : { relation: target, value };
};

/** Returns the key in an object, or null where it has none. @throws FORBIDDEN for an invalid key */
export const keyOfParent = ({ collection }: ToOne, value: Payload): Key | null => {
  const parts = collection.key.map(({ name }) => value[name] ?? null);
  return parts.length === 0 || parts.includes(null) ? null : readKey(collection, parts);
};

/** Decides whether a rule that a caller writes reveals only what the caller can read. Pure. */
import type { Collection, Field, Registry } from '../../contract/collection.js';
import { operatorsOf } from '../../contract/field-operators.js';
import { isMasked, type FieldDeclaration } from '../../contract/fields.js';
import { parseCall } from '../../contract/functions.js';
import { parseFilter, type Filter } from '../request/filter.js';
import type { Permission } from './grant.js';
import { cellsOf } from './query-variables.js';

/** Returns whether the caller can read a field on every row. */
export type MayRead = (collection: string, field: string) => boolean;

export interface DisclosureScope {
  readonly registry: Registry;
  readonly mayRead: MayRead;
}

/**
 * Returns whether the rows that match a rule, or the writes that pass it, reveal nothing new to the caller: it compares only
 * fields of the item itself that the caller can read, and variables that the caller can read. Of a concealed field, and
 * of one whose values are hashed, only presence is readable. Conditions on related rows, their keys and their number
 * are never accepted.
 * @param rule rows or validation of a permission
 */
export const revealsNothing = (
  rule: Permission['permissions'],
  collection: string,
  scope: DisclosureScope,
): boolean => {
  const found = scope.registry.collections.get(collection);
  const values: unknown[] = [];
  const filter = parseRule(rule, values);
  return (
    filter !== null &&
    found !== undefined &&
    comparesReadable(filter, found, scope) &&
    values
      .flat()
      .flatMap(cellsOf)
      .every((cell) => {
        const field = findReadable(cell.name, scope.registry.collections.get(cell.collection), scope);
        return field !== undefined && !isMasked(field);
      })
  );
};

/** Returns null for what is no filter. */
const parseRule = (rule: Permission['permissions'], values: unknown[]): Filter | null => {
  try {
    return parseFilter(rule ?? {}, values);
  } catch {
    return null;
  }
};

const findReadable = (
  name: string,
  collection: Collection | undefined,
  { mayRead }: DisclosureScope,
): Field | undefined =>
  collection !== undefined && mayRead(collection.name, name) ? collection.fields.get(name) : undefined;

const comparesReadable = (filter: Filter, collection: Collection, scope: DisclosureScope): boolean => {
  if (filter.kind === 'and' || filter.kind === 'or')
    return filter.filters.every((part) => comparesReadable(part, collection, scope));
  if (filter.kind !== 'field') return false;
  const call = parseCall(filter.name);
  const field = findReadable(call?.argument ?? filter.name, collection, scope);
  return field !== undefined && (call === null || !isMasked(field)) && comparesValue(filter.filter, field);
};

const comparesValue = (filter: Filter, field: FieldDeclaration): boolean => {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return filter.filters.every((part) => comparesValue(part, field));
    case 'compare':
      return !isMasked(field) || operatorsOf(field).has(filter.operator);
    case 'json':
      return !isMasked(field);
    case 'field':
    case 'some':
    case 'none':
      return false;
  }
};

/** Finds the columns of a payload that need no more than parsing, which most are. */
import type { Grant } from '../access/grant.js';
import type { Field } from '../../contract/collection.js';

/**
 * Returns the columns by name whose values, other than null and objects, are only parsed: permitted ones that are neither
 * computed nor part of a key or of a many-to-any relation. Kept per grant, because looking at each value costs more.
 */
export const plainColumns = (grant: Grant): ReadonlyMap<string, Field> => {
  const known = columns.get(grant);
  if (known !== undefined) return known;
  const { collection } = grant;
  const isPlain = (field: Field): boolean =>
    grant.fields.has(field.name) &&
    field.generated !== true &&
    (field.readonly !== true || grant.admin) &&
    !collection.key.includes(field) &&
    isColumnOnly(collection.relations.get(field.name)?.kind);
  const found = new Map([...collection.fields].filter(([, field]) => isPlain(field)));
  columns.set(grant, found);
  return found;
};

const isColumnOnly = (kind: string | undefined): boolean => kind === undefined || kind === 'manyToOne';

const columns = new WeakMap<Grant, ReadonlyMap<string, Field>>();

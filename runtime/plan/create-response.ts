/** Plans the response to a create, before any row can refer to the new one. Pure. */
import type { Collection, ToMany } from '../../contract/collection.js';
import type { Entry, ReadPlan } from './types.js';
import type { WriteRow } from './write-plan.js';

/** Returns whether the database generates the key of a new row. */
export const isKeyGenerated = ({ key }: Collection, row: WriteRow): boolean =>
  key.some(({ name, auto }) => auto === true && !row.has(name));

/**
 * Returns the plan for a row whose key the database generates, with its lists as the constant `[]`: foreign keys let no
 * row refer to it before, and without triggers the insert adds none. Lists of which that is not certain stay.
 */
export const withEmptyLists = (plan: ReadPlan): ReadPlan => {
  const { collection, select } = plan;
  if (select.kind !== 'object' || collection.triggers) return plan;
  const entries = select.entries.map((entry): Entry => {
    if (entry.kind !== 'many' || entry.rule !== null || !isEmptyAtFirst(entry.relation, collection))
      return entry;
    return { kind: 'constant', name: entry.name, json: '[]' };
  });
  return { ...plan, select: { ...select, entries } };
};

/** A row may refer to itself by the default of its column, and without a foreign key to a row that does not exist. */
const isEmptyAtFirst = ({ collection: target, fields, references }: ToMany, owner: Collection): boolean =>
  target !== owner &&
  references.every((name) => owner.key.some((field) => field.name === name && field.auto === true)) &&
  target.foreignKeys.some(
    ({ collection, fields: own }) => collection === owner && own.join('\0') === fields.join('\0'),
  );

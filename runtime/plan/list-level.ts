/** Where the rows of a list stand: below whom, and what is known of it before anything is written. */
import type { Collection, ToMany } from '../../contract/collection.js';
import type { LevelContext, OwnerValue } from './row-context.js';
import { ruleToCondition } from './rule.js';
import { openScope, type PlanContext } from './scope.js';
import type { Condition } from './types.js';
import type { Scalar } from './values.js';
import { isOperand, type Key, type ListRow } from './write-plan.js';

/** Whose lists are planned. */
export interface Owner {
  readonly collection: Collection;
  /** Among the rows of its plan. */
  readonly place: number;
  /** Values that will be stored, as far as the payload alone says them. */
  readonly row: ListRow;
  /** `null`: made by the database, or of several rows. */
  readonly key: Key | null;
}

/** What the list's rows refer to, as far as payload and key say it. */
const knownValues = ({ references }: ToMany, { collection, row, key }: Owner): readonly (Scalar | null)[] =>
  references.map((name) => {
    const place = collection.key.findIndex((field) => field.name === name);
    const value = row.get(name) ?? key?.[place] ?? null;
    return isOperand(value) ? null : value;
  });

export const levelBelow = (relation: ToMany, owner: Owner, level: LevelContext): LevelContext => {
  const known = knownValues(relation, owner);
  return {
    ...level,
    path: [...level.path, relation.name],
    owner: new Map(
      relation.fields.map((field, index): [string, OwnerValue] => [
        field,
        { operand: { from: 'owner', index }, known: known[index] ?? null },
      ]),
    ),
  };
};

/** Rows that the caller may read; `null`: none. */
export const visibleRows = (collection: Collection, context: PlanContext): Condition | null => {
  const grant = context.policies.grant(collection, 'read');
  return grant === null ? null : ruleToCondition(grant.rows, openScope(collection, 'read', context));
};

/** Those of the owner's fields that a list refers to and whose names the caller may be told. */
export const knownReferences = (
  { references }: ToMany,
  { collection }: Owner,
  { policies }: PlanContext,
): ReadonlySet<string> =>
  new Set(
    references.filter((name) =>
      (['read', 'update'] as const).some(
        (action) => policies.grant(collection, action)?.fields.has(name) === true,
      ),
    ),
  );

/**
 * The level of a list in a payload: its owner, and the owner's values that are known before anything is
 * written.
 */
import type { Collection, ToMany } from '../../contract/collection.js';
import type { PayloadLevel, OwnerValue } from './row-context.js';
import { ruleToCondition } from './rule.js';
import { openScope, type PlanContext } from './scope.js';
import type { Condition } from './types.js';
import type { Scalar } from './parsed-value.js';
import { isOwnerOperand, type Key, type ListRow } from './write-plan.js';

/** The row whose lists are planned. */
export interface Owner {
  readonly collection: Collection;
  /** Index among the rows of its plan. */
  readonly rowIndex: number;
  /** The values to store, as far as the payload determines them. */
  readonly row: ListRow;
  /** The key; `null` where the database generates it, or where the plan applies to several rows. */
  readonly key: Key | null;
}

/** Returns the values that the list's rows refer to, as far as payload and key determine them. */
const knownValues = ({ references }: ToMany, { collection, row, key }: Owner): readonly (Scalar | null)[] =>
  references.map((name) => {
    const index = collection.key.findIndex((field) => field.name === name);
    const value = row.get(name) ?? key?.[index] ?? null;
    return isOwnerOperand(value) ? null : value;
  });

/** Returns the level of a list below its owner: paths and pointers are longer by the name of the list. */
export const listLevel = (relation: ToMany, owner: Owner, level: PayloadLevel): PayloadLevel => {
  const known = knownValues(relation, owner);
  return {
    ...level,
    path: [...level.path, relation.name],
    pointer: [...level.pointer, relation.name],
    rowPointers: null,
    positions: null,
    owner: new Map(
      relation.fields.map((field, index): [string, OwnerValue] => [
        field,
        { operand: { from: 'owner', index }, known: known[index] ?? null },
      ]),
    ),
  };
};

/** Returns the condition for the rows that the caller may read, or null where there are none. */
export const visibleRows = (collection: Collection, context: PlanContext): Condition | null => {
  const grant = context.policies.grant(collection, 'read');
  return grant === null ? null : ruleToCondition(grant.rows, openScope(collection, 'read', context));
};

/** Returns the referenced fields of the owner whose names may be shown to the caller. */
export const nameableReferences = (
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

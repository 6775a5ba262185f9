/** Finds stored rules that can no longer be evaluated. Pure. */
import type { Collection } from '../../contract/collection.js';
import { findUnsupportedIn } from '../../contract/expressions.js';
import { policyNamesOf, type AccessRows } from './policies.js';

/** Returns a sentence for each regular expression of a rule that is not supported. */
export const findUnsupportedRules = (
  { policies, permissions }: AccessRows,
  collections: Iterable<Collection>,
): readonly string[] => {
  const policyNames = policyNamesOf(policies);
  return [
    ...permissions.flatMap(({ policy, collection, action, validation }) => {
      const where = `policy "${policyNames.get(policy) ?? policy}", ${action} of ${collection}`;
      return findUnsupportedIn(validation).map(
        (problem) => `${where}: ${problem}; what it guards is refused`,
      );
    }),
    ...Array.from(collections).flatMap(({ name, validated }) =>
      validated.flatMap((field) =>
        findUnsupportedIn(field.validation).map(
          (problem) => `${name}.${field.name}: ${problem}; writes of the field are refused`,
        ),
      ),
    ),
  ];
};

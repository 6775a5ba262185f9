/** Returns the collections of a model as a scope in which rules are checked, without a build of them. */
import type { Field, Model } from '../../generator/model/types.js';
import type { ComparedField } from '../plan/rule-comparisons.js';
import type { RuleScope } from '../plan/rule-faults.js';

/**
 * Returns the scope. The target of a many-to-any relation is null, as a rule cannot lead through it without
 * naming one.
 */
export const modelToScope = (collections: Model['collections']): RuleScope => ({
  findNames(name) {
    const found = collections.find((each) => each.name === name);
    if (found === undefined) return undefined;
    const targets = found.relations.map((relation): [string, string | null] => [
      relation.name,
      relation.kind === 'manyToAny' ? null : relation.target,
    ]);
    return {
      fields: new Map(found.fields.map((field) => [field.name, toCompared(field)])),
      targets: new Map(targets),
    };
  },
  validated: collections.flatMap((collection) =>
    collection.fields.flatMap(({ name, validation }) =>
      validation === null ? [] : [{ collection: collection.name, name, validation }],
    ),
  ),
});

const toCompared = ({ type, conceal, hash }: Field): ComparedField => ({
  type,
  ...(conceal && { conceal }),
  ...(hash && { hash }),
});

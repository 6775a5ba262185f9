/** Whether whoever grants a permission holds it: word for word, or with more fields and rows. Pure. */
import { networksOf, permissionsOf, type AccessIndex } from './access-index.js';
import type { Permission } from './grant.js';
import type { PolicySet } from './policies.js';

/** What the policy that is to have a permission asks of its holders. */
export interface Terms {
  /** None: any address. */
  readonly networks: readonly string[];
  /** A second factor. */
  readonly demanding: boolean;
}

/** Whether the caller holds it, on terms that are no stricter; `null`: on any. */
export type Subsumes = (wanted: Permission, terms: Terms | null) => boolean;

export const termsOf = (index: AccessIndex, policy: string): Terms => ({
  networks: networksOf(index, policy),
  demanding: index.demanding.has(policy),
});

/** What a policy permits from some addresses, or by a second factor, is not held otherwise. */
export const subsumptionOf = ({ ids }: PolicySet, held: AccessIndex): Subsumes => {
  const own = ids.map((id) => ({ ...termsOf(held, id), permissions: permissionsOf(held, id) }));
  const reads = own
    .flatMap(({ permissions }) => permissions)
    .filter(({ action, permissions }) => action === 'read' && isEmpty(permissions));
  const mayRead: MayRead = (collection, field) =>
    reads.some((each) => each.collection === collection && coversFields(each.fields, [field]));
  return (wanted, terms) =>
    own.some(
      (policy) =>
        (terms === null ||
          (isWithin(terms.networks, policy.networks) && (terms.demanding || !policy.demanding))) &&
        policy.permissions.some((permission) => coversPermission(permission, wanted, mayRead)),
    );
};

/** Of every row. */
type MayRead = (collection: string, field: string) => boolean;

/** Entry by entry. No entries: any address. */
const isWithin = (networks: readonly string[], own: readonly string[]): boolean =>
  own.length === 0 || (networks.length > 0 && networks.every((entry) => own.includes(entry)));

const coversPermission = (own: Permission, wanted: Permission, mayRead: MayRead): boolean =>
  own.collection === wanted.collection &&
  own.action === wanted.action &&
  coversFields(own.fields, wanted.fields) &&
  (toText(own.permissions) === toText(wanted.permissions) ||
    (isEmpty(own.permissions) &&
      tellsNothing(wanted.permissions, (field) => mayRead(wanted.collection, field)))) &&
  (isEmpty(own.validation) || toText(own.validation) === toText(wanted.validation)) &&
  toText(own.presets ?? {}) === toText(wanted.presets ?? {});

const coversFields = (own: Permission['fields'], wanted: Permission['fields']): boolean =>
  own?.includes('*') === true || (wanted ?? []).every((field) => own?.includes(field) === true);

const isEmpty = (rule: Permission['permissions']): boolean => rule === null || Object.keys(rule).length === 0;

/**
 * The rows that a rule leaves tell what it asks of them: nothing new to who reads the fields it names. What it asks of
 * related rows is not looked into.
 */
const tellsNothing = (rule: unknown, mayRead: (field: string) => boolean): boolean =>
  Object.entries(rule ?? {}).every(([name, asked]) =>
    name === '_and' || name === '_or'
      ? [asked].flat().every((part) => tellsNothing(part, mayRead))
      : mayRead(name) && isComparison(asked),
  );

const related: ReadonlySet<string> = new Set(['_some', '_none']);

const isComparison = (asked: unknown): boolean =>
  Object.entries(asked ?? {}).every(([operator, operand]) =>
    operator === '_and' || operator === '_or'
      ? [operand].flat().every(isComparison)
      : operator.startsWith('_') && !related.has(operator),
  );

export const toText = (value: unknown): string => JSON.stringify(value);

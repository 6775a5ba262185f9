/** Finds statements of a snapshot that disagree, so that each apply of it would change something again. Pure. */
import { invalidPayload, type ApiError } from '../../../contract/errors.js';
import { groupBy } from '../../../generator/introspection/order.js';
import type { SchemaPrinter } from '../../databases/contract.js';
import type { Snapshot } from '../snapshot/types.js';
import { previousName, type Renames } from './renames.js';

/** Returns a problem for each primary key and former name of which a snapshot says two things. */
export const findContradictions = (
  target: Snapshot,
  given: Snapshot,
  renames: Renames,
): readonly ApiError[] => [...findUnclearRenames(target, given, renames), ...findUnclearKeys(given)];

/**
 * Returns a problem for each field with labels that its type does not have.
 * @param printer without the types that were created in the database
 */
export const findUnusedLabels = (
  { fields }: Snapshot,
  { aliases, dataType }: SchemaPrinter,
): readonly ApiError[] =>
  fields.flatMap(({ collection, field, schema }) => {
    const { data_type: name = '', enum_values: values } = schema ?? {};
    if ((values ?? []).length === 0) return [];
    const type = dataType(aliases?.get(name) ?? name, null);
    if (type === null || type.size === 'values') return [];
    return [
      invalidPayload(
        `"${collection}.${field}" has enum_values, which the data_type "${name}" does not take; remove them, or add a check`,
      ),
    ];
  });

/** Finds fields whose flag disagrees with the list of the collection. */
const findUnclearKeys = ({ collections, fields }: Snapshot): readonly ApiError[] => {
  const keys = new Map(collections.map(({ collection, schema }) => [collection, schema?.primary_key]));
  return fields.flatMap(({ collection, field, schema }) => {
    const [flag, isListed] = [schema?.is_primary_key, keys.get(collection)?.includes(field)];
    if (flag === undefined || isListed === undefined || flag === isListed) return [];
    const other = isListed ? 'has' : 'lacks';
    return [
      invalidPayload(
        `"is_primary_key" of "${collection}.${field}" is ${flag}, but "primary_key" of "${collection}" ${other} it; let both say the same`,
      ),
    ];
  });
};

interface Named {
  readonly name: string;
  readonly from: string;
}

/**
 * Returns a problem for each former name that two entries have, or that the snapshot has as the name of another entry:
 * what is renamed would keep its name, and its values would be lost or be those of another.
 */
const findUnclearRenames = (
  target: Snapshot,
  given: Snapshot,
  { collections }: Renames,
): readonly ApiError[] => {
  const found = findUnclear(
    given.collections.map(({ collection, meta }) => ({ name: collection, from: previousName(meta) })),
    new Set(target.collections.map(({ collection }) => collection)),
    (name) => name,
  );
  const present = groupBy(target.fields, ({ collection }) => collection);
  const inFields = [...groupBy(given.fields, ({ collection }) => collection)].flatMap(
    ([collection, fields]) => {
      const former = present.get(collections.get(collection) ?? collection) ?? [];
      return findUnclear(
        fields.map(({ field, meta }) => ({ name: field, from: previousName(meta) })),
        new Set(former.map(({ field }) => field)),
        (name) => `${collection}.${name}`,
      );
    },
  );
  return [...found, ...inFields];
};

/** @param present names of the target */
const findUnclear = (
  entries: readonly { readonly name: string; readonly from: string | null }[],
  present: ReadonlySet<string>,
  describe: (name: string) => string,
): readonly ApiError[] => {
  const named = entries.filter((entry): entry is Named => entry.from !== null && entry.from !== entry.name);
  const former = new Map(named.map(({ name, from }) => [name, from]));
  const names = new Set(entries.map(({ name }) => name));
  const wishes = named.filter(
    ({ name, from }) => present.has(from) && (!present.has(name) || isCircular(name, former)),
  );
  return wishes.flatMap(({ name, from }) => {
    const other = wishes.find((wish) => wish.from === from)?.name ?? name;
    if (other !== name)
      return [
        invalidPayload(`"${describe(name)}" and "${describe(other)}" have the same previous_name "${from}"`),
      ];
    if (!names.has(from)) return [];
    return [
      invalidPayload(
        `"${describe(name)}" has the previous_name "${from}", which the snapshot still has; apply one rename after the other, through a third name where names change places`,
      ),
    ];
  });
};

/** Returns whether the former names lead back to the name: names change places. */
const isCircular = (name: string, former: ReadonlyMap<string, string>): boolean => {
  let at = former.get(name);
  for (let steps = 0; at !== undefined && at !== name && steps < former.size; steps += 1) at = former.get(at);
  return at === name;
};

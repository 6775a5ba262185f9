/** Checks the values of meta, which the columns of the meta tables limit. Pure. */
import { canonicalJson } from '../../../contract/objects.js';
import { expectedOfRule } from '../../plan/access-rows.js';
import { isList } from '../snapshot/meta.js';
import type { Meta, Snapshot } from '../snapshot/types.js';

const flags: ReadonlySet<string> = new Set([
  'archive_app_filter',
  'hidden',
  'singleton',
  'readonly',
  'required',
]);

/** Characters of texts, and of long texts. */
const lengths: Readonly<Record<string, number>> = {
  note: 16_000,
  validation_message: 16_000,
  display_template: 255,
  archive_value: 64,
  unarchive_value: 64,
  icon: 64,
  color: 32,
  collapse: 16,
  accountability: 16,
  sort_field: 64,
  archive_field: 64,
  group: 64,
  display: 64,
  interface: 64,
  width: 16,
  junction_field: 64,
  one_collection: 64,
  one_field: 64,
  one_collection_field: 64,
  one_deselect_action: 10,
};

/** Returns a sentence for each value of meta that its column cannot hold, and for each new validation that is no filter. */
export const findMetaProblems = (target: Snapshot, wanted: Snapshot): readonly string[] => [
  ...findValueProblems(wanted),
  ...findValidationProblems(target, wanted),
];

const findValueProblems = ({ collections, fields, relations }: Snapshot): readonly string[] =>
  [
    ...collections.map(({ collection, meta }) => ({ place: collection, meta })),
    ...[...fields, ...relations].map(({ collection, field, meta }) => ({
      place: `${collection}.${field}`,
      meta,
    })),
  ].flatMap(({ place, meta }) => findProblems(place, meta));

const findProblems = (place: string, meta: Meta | null | undefined): readonly string[] =>
  Object.entries(meta ?? {}).flatMap(([key, value]) => {
    const expected = value === null || value === undefined ? null : expectation(key, value);
    return expected === null ? [] : [toProblem(place, key, expected)];
  });

const toProblem = (place: string, key: string, expected: string): string =>
  `the meta key "${key}" of "${place}" must be ${expected}`;

/** A validation that is stored already does not stand in the way of other changes. */
const findValidationProblems = (target: Snapshot, wanted: Snapshot): readonly string[] => {
  const stored = validationsOf(target);
  return Array.from(validationsOf(wanted), ([place, validation]) => {
    if (canonicalJson(validation) === canonicalJson(stored.get(place))) return [];
    const expected = expectedOfRule(validation);
    return expected === null ? [] : [toProblem(place, 'validation', expected)];
  }).flat();
};

/** Returns the validation of each field, `null` for none. */
const validationsOf = ({ fields }: Snapshot): ReadonlyMap<string, unknown> =>
  new Map(fields.map(({ collection, field, meta }) => [`${collection}.${field}`, meta?.validation ?? null]));

/** Returns what a value should be, or null if it is that. */
const expectation = (key: string, value: unknown): string | null => {
  if (flags.has(key))
    return typeof value === 'boolean' || value === 0 || value === 1 ? null : 'true or false';
  if (key === 'sort')
    return Number.isInteger(value) && Math.abs(Number(value)) < 2 ** 31 ? null : 'an integer';
  if (isList(key)) return isTextList(value) ? null : 'a list of texts';
  const length = lengths[key];
  if (length === undefined) return null;
  return typeof value === 'string' && [...value].length <= length
    ? null
    : `a text of at most ${length} characters`;
};

const isTextList = (value: unknown): boolean =>
  typeof value === 'string' || (Array.isArray(value) && value.every((item) => typeof item === 'string'));

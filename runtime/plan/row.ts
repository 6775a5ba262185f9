/** One payload as a row to be written: names and grants checked, values read by type, presets and fills added. */
import type { Grant } from '../access/grant.js';
import type { Field, ToMany } from '../../contract/collection.js';
import { ApiError, forbidden, invalidPayload } from '../../contract/errors.js';
import { failed, refusal } from './problems.js';
import { isKept, isKey, type Payload, type RowContext } from './row-context.js';
import { validateRow, type OwnerCheck } from './row-validation.js';
import type { ListRow, OwnerOperand } from './write-plan.js';
import { keptValue, readValue, type Scalar } from './values.js';

export interface PlannedRow {
  readonly row: ListRow;
  /** Of the permissions whose validation the payload passes. */
  readonly grant: Grant;
  /** Lists in the payload. */
  readonly lists: readonly ListValue[];
  /** What can be decided only with values of the owner; `null`: nothing. */
  readonly check: OwnerCheck | null;
}

export interface ListValue {
  readonly relation: ToMany;
  /** As the client sent it. */
  readonly value: unknown;
}

/**
 * Reads one payload, without the lists in it; what is wrong goes to `problems`. Where validation drops a permission,
 * the payload is read again without what that alone presets.
 */
export const readRow = (sent: Payload, context: RowContext): PlannedRow => {
  const read = readValues(sent, context);
  if (read.grant === context.grant || context.problems.length > 0) return read;
  return readRow(sent, { ...context, grant: read.grant });
};

type RowValues = Map<string, Scalar | null | OwnerOperand>;

/** What the client sends wins over presets, which are an administrator's: not bound to the field list. */
const readValues = (sent: Payload, context: RowContext): PlannedRow => {
  const payload = withoutOwner(sent, context);
  const row: RowValues = new Map();
  const lists: ListValue[] = [];
  const presets = resolvePresets(payload, context);
  for (const name of Object.keys(presets))
    setValue(row, { name, value: presets[name], preset: true }, context);
  for (const name of Object.keys(payload)) {
    const relation = listOf(name, context.grant);
    if (relation !== null) lists.push({ relation, value: payload[name] });
    else setValue(row, { name, value: payload[name], preset: false }, context);
  }
  setOwner(row, context);
  fill(row, context);
  const given = presets === nothing ? payload : { ...presets, ...payload };
  if (context.action === 'create') findMissing(row, given, context);
  const names = context.owner.size === 0 ? Object.keys(payload) : writtenNames(payload, context);
  return { row, lists, ...validateRow({ row, given, names }, context) };
};

/** Names that take a permission of their own: those that were sent, and those of the owner. */
export const writtenNames = (payload: Payload, { owner }: Pick<RowContext, 'owner'>): readonly string[] => [
  ...new Set([...Object.keys(payload), ...owner.keys()]),
];

const nothing: Payload = {};

/** Of the presets, what the client does not send. */
const resolvePresets = (payload: Payload, { grant, writing }: RowContext): Payload => {
  const names = Object.keys(grant.presets).filter((name) => !Object.hasOwn(payload, name));
  if (names.length === 0) return nothing;
  return Object.fromEntries(names.map((name) => [name, writing.resolve(grant.presets[name])]));
};

/** `null`: no list, or not one the caller may write. */
const listOf = (name: string, { collection, fields }: Grant): ToMany | null => {
  const relation = collection.relations.get(name);
  return relation?.kind === 'oneToMany' && fields.has(name) ? relation : null;
};

/** Whose a row of a list is says the list, whatever the row says. */
const withoutOwner = (payload: Payload, { owner }: RowContext): Payload =>
  owner.size === 0
    ? payload
    : Object.fromEntries(Object.entries(payload).filter(([name]) => !owner.has(name)));

interface GivenValue {
  readonly name: string;
  readonly value: unknown;
  readonly preset: boolean;
}

const setValue = (row: RowValues, { name, value, preset }: GivenValue, context: RowContext): void => {
  if (isKept(name, context)) return;
  const field = writableField(name, preset, context);
  if (field === null || isUncounted(field, value, context) || isComputed(field, context)) return;
  const read = readField(field, value, context);
  if (read instanceof ApiError) context.problems.push(read);
  else row.set(name, read);
};

/** The owner's values take a permission like any other. */
const setOwner = (row: RowValues, context: RowContext): void => {
  for (const [name, { operand }] of context.owner) {
    const field = writableField(name, false, context);
    if (field !== null && !isComputed(field, context)) row.set(name, operand);
  }
};

/** Returns `null`, and adds a problem, for what may not be written. */
const writableField = (
  name: string,
  preset: boolean,
  { grant, problems, action }: RowContext,
): Field | null => {
  const { collection } = grant;
  const field = collection.fields.get(name);
  if (!preset && !grant.fields.has(name)) {
    problems.push(
      grant.everyField
        ? invalidPayload(`"${name}" is not a field of "${collection.name}"`)
        : forbidden(`the field "${name}" does not exist or may not be used for ${action}`),
    );
    return null;
  }
  // presets may name what is no more
  if (field === undefined) return null;
  if (field.readonly === true && !grant.admin && !preset) {
    problems.push(forbidden(`the field "${name}" is read-only`));
    return null;
  }
  return field;
};

/** A counted key given as null is not given. */
const isUncounted = ({ name, auto }: Field, value: unknown, { grant }: RowContext): boolean =>
  auto === true && value === null && isKey(name, grant);

/** Adds a problem where it is. */
const isComputed = ({ name, generated }: Field, { problems }: RowContext): boolean => {
  if (generated !== true) return false;
  problems.push(invalidPayload(`"${name}" is computed by the database and cannot be written`));
  return true;
};

const readField = (field: Field, value: unknown, context: RowContext): Scalar | null | ApiError => {
  if (value === undefined) return null;
  if (value === null) {
    return field.nullable === true
      ? null
      : failed(field, { type: 'nnull', expected: 'a value', value }, context);
  }
  const relation = context.grant.collection.relations.get(field.name);
  if (relation?.kind === 'manyToOne' && typeof value === 'object') {
    return invalidPayload(`"${field.name}" takes the key of an item of "${relation.target}"`);
  }
  const read = readValue(field, value);
  return read.ok ? keptValue(field, read.value) : refusal(field, { read, value }, context);
};

/** Server-side values; on create, what the client sends wins. */
const fill = (row: RowValues, { grant, action, writing }: RowContext): void => {
  for (const field of grant.collection.filled) {
    const isDue = action === 'create' ? createFills.has(field.fill) : updateFills.has(field.fill);
    if (!isDue || row.has(field.name)) continue;
    if (field.fill === 'uuid') row.set(field.name, writing.fills.uuid());
    else if (field.fill?.startsWith('user') === true) row.set(field.name, writing.fills.user);
    else row.set(field.name, writing.fills.now());
  }
};

const createFills: ReadonlySet<Field['fill']> = new Set(['uuid', 'user-created', 'date-created'] as const);
const updateFills: ReadonlySet<Field['fill']> = new Set(['user-updated', 'date-updated'] as const);

/** Fields that the caller may not write are not named. */
const findMissing = (row: ListRow, given: Payload, context: RowContext): void => {
  const { grant, problems, owner } = context;
  const missing = grant.collection.required.filter(
    ({ name }) => !row.has(name) && !Object.hasOwn(given, name) && !owner.has(name),
  );
  const expected = 'a value; it is required';
  for (const field of missing.filter(({ name }) => grant.fields.has(name)))
    problems.push(failed(field, { type: 'required', expected, value: null }, context));
  if (missing.some(({ name }) => !grant.fields.has(name)))
    problems.push(forbidden(`"${grant.collection.name}" needs values that you may not write`));
};

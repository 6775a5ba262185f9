/**
 * Turns one payload into a row to write: checks names and grants, parses values by type, adds presets and
 * filled fields.
 */
import type { Field, ToOne } from '../../contract/collection.js';
import { ApiError, collectProblems, forbidden, invalidPayload } from '../../contract/errors.js';
import { isObject } from '../../contract/objects.js';
import { quoted } from '../../contract/quoted.js';
import { findToAny, reportTargets, toStoredKey } from './many-to-any-payload.js';
import { compareValues } from './compare-values.js';
import { isScalar, parseColumn, readAnyKey, readField } from './field-values.js';
import { plainColumns } from './plain-columns.js';
import {
  findList,
  findParent,
  isCompositeParent,
  keyOfParent,
  type ListValue,
  type ParentValue,
} from './payload-relations.js';
import type { PayloadLocation } from './problem-collection.js';
import { validationError } from './problems.js';
import { planReferences, type ReferenceCheck } from './references.js';
import { isUnchangedKey, isKeyField, type Payload, type RowContext } from './row-context.js';
import { validateRow, type RowValidation } from './row-validation.js';
import type { ListRow, OwnerOperand } from './write-plan.js';
import type { Scalar } from './parsed-value.js';

export interface PlannedRow extends RowValidation {
  readonly row: ListRow;
  readonly location: PayloadLocation;
  /** The lists in the payload. */
  readonly lists: readonly ListValue[];
  /** Objects in place of keys. */
  readonly parents: readonly ParentValue[];
  readonly references: readonly ReferenceCheck[];
}

/**
 * Reads one payload except for its lists; adds its faults to `problems`. Where validation drops a
 * permission, the payload is read again without the presets of that permission.
 */
export const readRow = (sent: Payload, context: RowContext): PlannedRow => {
  const read = readValues(sent, context);
  if (read.grant === context.grant || context.problems.length > 0) return read;
  return readRow(sent, { ...context, grant: read.grant });
};

type RowValues = Map<string, Scalar | null | OwnerOperand>;

/**
 * Values of the client take precedence over presets. Presets are set by an administrator and not limited to
 * the field list.
 */
const readValues = (sent: Payload, context: RowContext): PlannedRow => {
  const payload = withoutOwner(sent, context);
  const row: RowValues = new Map();
  const lists: ListValue[] = [];
  const parents: ParentValue[] = [];
  const presets = resolvePresets(payload, context);
  const given = presets === noPresets ? payload : { ...presets, ...payload };
  reportTargets(payload, given, context);
  for (const name of Object.keys(presets))
    setValue(row, { name, value: presets[name], isPreset: true, given }, context);
  const plain = plainColumns(context.grant);
  for (const name of Object.keys(payload)) {
    const value = payload[name];
    const column = isScalar(value) ? plain.get(name) : undefined;
    if (column !== undefined) {
      keepValue(row, column, parseColumn(column, value, context), context);
      continue;
    }
    const relation = findList(name, context.grant);
    const parent = findParent(name, given, context.grant);
    if (relation !== null) lists.push({ relation, value });
    else if (parent !== null) {
      if (setParent(row, { ...parent, payload }, context)) parents.push(parent);
    } else if (isCompositeParent(name, context.grant)) clearParent(row, { name, value, given }, context);
    else setValue(row, { name, value, isPreset: false, given }, context);
  }
  setOwnerValues(row, context);
  const { position } = context;
  if (position !== null && !row.has(position.name)) row.set(position.name, position.value);
  fillFields(row, context);
  if (context.action === 'create') reportMissing(row, given, context);
  const names = context.owner.size === 0 ? Object.keys(payload) : writtenNames(payload, context);
  const references = planReferences(payload, row, context);
  const { index, path, pointer } = context;
  const location = { index, path, pointer };
  return { row, location, lists, parents, references, ...validateRow({ row, given, names }, context) };
};

/** Returns the names that require a permission: those in the payload and those of the owner. */
export const writtenNames = (payload: Payload, { owner }: Pick<RowContext, 'owner'>): readonly string[] => [
  ...new Set([...Object.keys(payload), ...owner.keys()]),
];

const noPresets: Payload = {};

/** Returns the presets that the payload does not override, with variables resolved. */
const resolvePresets = (payload: Payload, { grant, writing }: RowContext): Payload => {
  const names = Object.keys(grant.presets).filter((name) => !Object.hasOwn(payload, name));
  if (names.length === 0) return noPresets;
  return Object.fromEntries(names.map((name) => [name, writing.resolve(grant.presets[name])]));
};

/** Makes those columns of a relation null that may be; of a create, the others are reported as missing. */
const clearParent = (
  row: RowValues,
  { name, value, given }: Omit<GivenValue, 'isPreset'>,
  context: RowContext,
): void => {
  const { relations, fields } = context.grant.collection;
  const columns = (relations.get(name) as ToOne).fields;
  if (value !== null) {
    context.problems.push(
      invalidPayload(`"${name}" takes an item or null; a key is given by ${quoted(columns)}`),
    );
    return;
  }
  const cleared = columns.filter((each) => fields.get(each)?.nullable === true);
  const required = context.action === 'create' ? [] : columns;
  for (const column of cleared.length === 0 ? required : cleared)
    if (!Object.hasOwn(given, column))
      setValue(row, { name: column, value, isPreset: false, given }, context);
};

/** Sets the key of a parent, as far as it is known. Returns false after adding a problem. */
const setParent = (
  row: RowValues,
  { relation, value, payload }: ParentValue & { readonly payload: Payload },
  context: RowContext,
): boolean =>
  collectProblems(context.problems, () => {
    const key = keyOfParent(relation, value);
    const names = relation.collection.key.map(({ name }) => name);
    for (const [index, name] of relation.fields.entries()) {
      if (isUnchangedKey(name, context)) {
        context.problems.push(
          invalidPayload(`"${name}" is part of the key of an item and cannot be changed`),
        );
        return false;
      }
      const field = writableField(name, false, context);
      if (field === null || isComputed(field, context)) return false;
      const known = key?.[names.indexOf(relation.references[index] ?? '')];
      // a key of several columns has a name beside those of its columns
      const given = isObject(payload[name]) ? null : (payload[name] ?? null);
      if (given !== null && (known === undefined || compareValues(field, known, given) !== 0)) {
        const reason = `"${relation.name}" and "${name}" give different keys; leave one of them out`;
        context.problems.push(invalidPayload(reason));
        return false;
      }
      row.set(name, known === undefined ? { from: 'parent' } : toStoredKey(relation, known));
    }
    return true;
  }) ?? false;

/** Drops the foreign key from the payload: the list determines the owner. */
const withoutOwner = (payload: Payload, { owner }: RowContext): Payload =>
  owner.size === 0
    ? payload
    : Object.fromEntries(Object.entries(payload).filter(([name]) => !owner.has(name)));

interface GivenValue {
  readonly name: string;
  readonly value: unknown;
  readonly isPreset: boolean;
  /** Presets and payload. */
  readonly given: Payload;
}

const setValue = (
  row: RowValues,
  { name, value, isPreset, given }: GivenValue,
  context: RowContext,
): void => {
  if (isUnchangedKey(name, context)) {
    if (!isPreset) reportOtherKey(name, value, context);
    return;
  }
  const field = writableField(name, isPreset, context);
  if (field === null || isAbsentKey(field, value, context)) return;
  // a key finds the stored row of an upsert, even though no new row may have it
  if (isComputed(field, context) && !isKeyField(name, context.grant)) return;
  const toAny = value === null || value === undefined ? null : findToAny(name, context.grant.collection);
  const read =
    toAny === null ? readField(field, value, context) : readAnyKey(field, value, { toAny, given, context });
  if (read !== null || toAny === null) keepValue(row, field, read, context);
};

/** Sets a parsed value, or adds its problem. */
const keepValue = (
  row: RowValues,
  { name }: Field,
  read: Scalar | null | ApiError,
  { problems }: RowContext,
): void => {
  if (read instanceof ApiError) problems.push(read);
  else row.set(name, read);
};

/** Adds a problem where an update gives a key field another value than the item has. */
const reportOtherKey = (name: string, value: unknown, { grant, key, problems }: RowContext): void => {
  const { name: collection, key: fields } = grant.collection;
  const index = fields.findIndex((field) => field.name === name);
  const [field, part] = [fields[index], key?.[index]];
  if (field !== undefined && part !== undefined && compareValues(field, part, value) === 0) return;
  problems.push(
    invalidPayload(`"${name}" is the key of an item of "${collection}" and cannot be changed; leave it out`),
  );
};

/** Sets the owner's values, which require a permission like any other. */
const setOwnerValues = (row: RowValues, context: RowContext): void => {
  for (const [name, { operand }] of context.owner) {
    const field = writableField(name, false, context);
    if (field !== null && !isComputed(field, context)) row.set(name, operand);
  }
};

/** Returns the field, or null after adding a problem where it may not be written. */
const writableField = (
  name: string,
  isPreset: boolean,
  { grant, problems, action }: RowContext,
): Field | null => {
  const { collection } = grant;
  const field = collection.fields.get(name);
  // the name of a relation may be granted, which is no field
  if (!isPreset && (field === undefined || !grant.fields.has(name))) {
    problems.push(
      grant.everyField
        ? invalidPayload(`"${name}" is not a field of "${collection.name}"`)
        : forbidden(`the field "${name}" does not exist or may not be used for ${action}`),
    );
    return null;
  }
  // presets may name a field that no longer exists
  if (field === undefined) return null;
  if (field.readonly === true && !grant.admin && !isPreset) {
    problems.push(forbidden(`the field "${name}" is read-only`));
    return null;
  }
  return field;
};

/** Returns whether the value is null for an auto-increment key, which counts as absent. */
const isAbsentKey = ({ name, auto }: Field, value: unknown, { grant }: RowContext): boolean =>
  auto === true && value === null && isKeyField(name, grant);

/** Returns whether the field is computed by the database, and adds a problem if so. */
const isComputed = ({ name, generated }: Field, { problems }: RowContext): boolean => {
  if (generated !== true) return false;
  problems.push(invalidPayload(`"${name}" is computed by the database and cannot be written`));
  return true;
};

/** Sets the fields that the server fills, unless the row has a value. */
const fillFields = (row: RowValues, { grant, action, writing }: RowContext): void => {
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

/** Reports missing required fields. Fields that the caller may not write are not named. */
const reportMissing = (row: ListRow, given: Payload, context: RowContext): void => {
  const { grant, problems, owner } = context;
  const missing = grant.collection.required.filter(
    ({ name }) => !row.has(name) && !Object.hasOwn(given, name) && !owner.has(name),
  );
  if (missing.length === 0) return;
  const expected = 'a value; it is required';
  for (const field of missing.filter(({ name }) => grant.fields.has(name)))
    problems.push(validationError(field, { type: 'required', expected, value: null }, context));
  if (missing.some(({ name }) => !grant.fields.has(name)))
    problems.push(forbidden(`"${grant.collection.name}" needs values that you may not write`));
};

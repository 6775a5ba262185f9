/**
 * Converts errors of the database to API errors that name the field and the value. Messages of the database
 * are not exposed.
 */
import type { Collection, Field, ToOne } from '../../contract/collection.js';
import { isMasked } from '../../contract/fields.js';
import { ApiError, ApiErrors, apiError, joinProblems, unprocessable } from '../../contract/errors.js';
import { locationDetails, type PayloadLocation } from '../plan/problem-collection.js';
import type { Key, WriteRow } from '../plan/write-plan.js';
import { skippedItem } from './insert.js';
import { findFields } from './violated-fields.js';
import {
  findBrokenReferences,
  findDuplicates,
  readTuple,
  type QueryContext,
} from './constraint-violations.js';
import type { ExecuteContext } from './write-transaction.js';
import type { Violation } from '../databases/contract.js';

export interface Write extends QueryContext {
  readonly collection: Collection;
  /** The rows to write; for a delete, their keys. */
  readonly rows: readonly WriteRow[];
  /** Where each row is in the payload; none for a delete. */
  readonly locations: readonly PayloadLocation[];
  readonly action: 'create' | 'update' | 'delete';
  readonly mayName: ExecuteContext['mayName'];
  /** Rows that the same transaction had written, and its rollback has removed. */
  readonly written?: readonly { readonly collection: Collection; readonly keys: readonly Key[] }[];
}

/** A violation of a foreign key that was found before the database reports it. */
export class BrokenReference extends Error {}

/** Runs a write and converts constraint violations to API errors. Other errors are rethrown. */
export const explainFailure = async <Result>(
  /** Returns the write that failed. */
  failing: () => Write,
  run: () => Promise<Result>,
): Promise<Result> => {
  try {
    return await run();
  } catch (error) {
    if (error instanceof ApiError || error instanceof ApiErrors) throw error;
    const write = failing();
    const violation =
      error instanceof BrokenReference
        ? brokenReference
        : write.dialect.readViolation(error, write.collection.name);
    if (violation === null || (violation.kind === 'full' && !(await isExhausted(write)))) throw error;
    throw await toError(violation, write);
  }
};

const brokenReference: Violation = { kind: 'foreignKey', columns: [], constraint: null };

const isExhausted = async ({ collection, dialect, executor }: Write): Promise<boolean> =>
  dialect.exhaustedKey !== undefined &&
  (await executor.query(dialect.exhaustedKey, [collection.name])).length > 0;

const toError = async (violation: Violation, write: Write): Promise<Error> => {
  switch (violation.kind) {
    case 'unique':
      return toNotUnique(violation, write);
    case 'foreignKey':
    case 'referenced':
      return write.action === 'delete' || violation.kind === 'referenced'
        ? toReferenced(write)
        : toBrokenReference(violation, write);
    case 'skipped':
      return skippedItem(write.collection);
    case 'broken':
      return brokenSchema(write.collection);
    case 'exhausted':
    case 'full':
      return toExhausted(violation, write);
    default:
      return toRejected(violation.kind, nameable(await findFields(violation, write), write), write);
  }
};

/** Returns the error for values that exist already, which names every row with one of them. */
const toNotUnique = async (violation: Violation, write: Write): Promise<Error> => {
  const { collection, rows } = write;
  const fields = uniqueFields(violation, collection);
  const named = nameable(fields, write);
  const field = named.find(({ name }) => rows.some((row) => row.has(name))) ?? named[0];
  const found = fields.length === 0 ? [] : await findDuplicates(rows, { collection, fields }, write);
  const primaryKey = fields.length > 0 && fields.every((each) => collection.key.includes(each));
  const explanation =
    named.length === 0 || named.length < fields.length
      ? `"${collection.name}" has such an item already`
      : `${namesOf(fields)} of "${collection.name}" must be unique`;
  const written = found.length === 0 ? [write] : found.map((row) => only(row, write));
  return joinProblems(
    written.map((each) =>
      apiError('RECORD_NOT_UNIQUE', { ...detailsOf(field, each), primaryKey }, explanation),
    ),
  );
};

/** Returns the fields whose names the caller may know. */
const nameable = (fields: readonly Field[], { collection, mayName }: Write): readonly Field[] =>
  fields.filter((field) => mayName(collection, field));

const onlyNameable = (field: Field | undefined, write: Write): Field | undefined =>
  field !== undefined && write.mayName(write.collection, field) ? field : undefined;

const uniqueFields = ({ columns, constraint }: Violation, collection: Collection): readonly Field[] => {
  if (constraint === 'PRIMARY') return collection.key;
  const names = (constraint === null ? undefined : collection.uniques.get(constraint)) ?? columns;
  return names.flatMap((name) => collection.fields.get(name) ?? []);
};

/**
 * Returns the error for a foreign key violation, which names every row with a broken reference. Where the database names no
 * column, the stored rows show which references are broken; if none is, the update changed a value that other rows refer to.
 */
const toBrokenReference = async ({ columns }: Violation, write: Write): Promise<Error> => {
  const { collection, rows, action } = write;
  const relations = [...collection.relations.values()].filter(
    (relation): relation is ToOne =>
      relation.kind === 'manyToOne' && (columns.length === 0 || relation.fields.join() === columns.join()),
  );
  const problems: ApiError[] = [];
  for (const relation of relations) {
    const field = onlyNameable(collection.fields.get(relation.fields[0] ?? ''), write);
    for (const row of await findBrokenReferences(rows, sidesOf(relation, write), write))
      problems.push(brokenReferenceError(field, only(row, write)));
  }
  if (problems.length > 0) return joinProblems(problems);
  const isChange = columns.length === 0 && action === 'update';
  if (isChange && referencedField(write) !== undefined) return toReferenced(write);
  return brokenReferenceError(onlyNameable(collection.fields.get(columns[0] ?? ''), write), write);
};

const sidesOf = (
  { fields, references: names, collection: target }: ToOne,
  { collection, rows, written = [] }: Write,
) => {
  const references = names.flatMap((name) => target.fields.get(name) ?? []);
  const isKey = names.join() === target.key.map(({ name }) => name).join();
  const earlier = isKey ? written.filter((each) => each.collection === target) : [];
  return {
    collection: target,
    fields: fields.flatMap((name) => collection.fields.get(name) ?? []),
    references,
    removed: [
      ...earlier.flatMap(({ keys }) => keys),
      ...(collection === target ? rows.flatMap((row) => [readTuple(row, references) ?? []]) : []),
    ],
  };
};

/** Returns the error for rows that refer to a missing row. */
export const brokenReferenceError = (field: Field | undefined, written: WrittenRows): ApiError =>
  apiError(
    'INVALID_FOREIGN_KEY',
    detailsOf(field, written),
    field === undefined
      ? 'a reference leads to an item that does not exist'
      : `"${field.name}" refers to an item that does not exist`,
  );

const toReferenced = (write: Write): ApiError =>
  apiError(
    'INVALID_FOREIGN_KEY',
    detailsOf(onlyNameable(referencedField(write) ?? write.collection.key[0], write), write),
    'other items still refer to this one',
  );

/** Returns the first written field that other collections refer to. */
const referencedField = ({ collection, rows }: Write): Field | undefined => {
  const relations = [...collection.relations.values()];
  const names = new Set(relations.flatMap((each) => (each.kind === 'oneToMany' ? each.references : [])));
  return [...collection.fields.values()].find(
    ({ name }) => names.has(name) && rows.some((row) => row.has(name)),
  );
};

/** Returns the error for a generated key at the end of its type. */
const toExhausted = ({ columns }: Violation, write: Write): ApiError => {
  const { collection, rows } = write;
  const full =
    collection.fields.get(columns[0] ?? '') ??
    [...collection.fields.values()].find(
      ({ name, auto }) => auto === true && !rows.some((row) => row.has(name)),
    );
  const field = onlyNameable(full, write);
  return apiError(
    'VALUE_OUT_OF_RANGE',
    { ...detailsOf(field, write), value: null },
    `${field === undefined ? 'a generated field' : `"${field.name}"`} cannot hold the next value; the last value of its type is in use`,
  );
};

/** Returns the error for writes that fail for every input. */
const brokenSchema = ({ name }: Collection): ApiError =>
  unprocessable(
    `the database refuses every such write: a foreign key or a trigger around "${name}" is broken`,
  );

type Rejection = Exclude<
  Violation['kind'],
  'unique' | 'foreignKey' | 'referenced' | 'skipped' | 'broken' | 'exhausted' | 'full'
>;

const toRejected = (kind: Rejection, fields: readonly Field[], write: Write): ApiError => {
  const field = fields.length === 1 ? fields[0] : undefined;
  const { value, ...details } = detailsOf(field, write);
  const name = namesOf(fields) || (kind === 'check' ? 'the item' : 'a field');
  switch (kind) {
    case 'notNull':
      return apiError('NOT_NULL_VIOLATION', details, `${name} must have a value`);
    case 'tooLong':
      return apiError('VALUE_TOO_LONG', { ...details, value }, `${name} takes a shorter value`);
    case 'range':
      return apiError('VALUE_OUT_OF_RANGE', { ...details, value }, `${name} cannot hold this value`);
    case 'required':
    case 'type':
    case 'check':
      return apiError(
        'FAILED_VALIDATION',
        { path: [], ...details, type: kind, ...(kind !== 'required' && { invalid: value }) },
        explanations[kind](name, fields.length),
      );
  }
};

const namesOf = (fields: readonly Field[]): string => fields.map(({ name }) => `"${name}"`).join(' and ');

const explanations = {
  required: (name: string) => `${name} must have a value`,
  type: (name: string) => `${name} does not take this value`,
  check: (name: string, count: number) =>
    `${name} ${count > 1 ? 'do' : 'does'} not pass a check of the database`,
} as const;

type WrittenRows = Pick<Write, 'collection' | 'rows' | 'locations'>;

const only = (row: WriteRow, { collection, rows, locations }: Write): WrittenRows => {
  const index = rows.indexOf(row);
  return { collection, rows: [row], locations: locations.slice(index, index + 1) };
};

/** Returns the details of an error. The value is included only where it is unambiguous and not concealed, and so is the place. */
const detailsOf = (field: Field | undefined, { collection, rows, locations }: WrittenRows) => {
  const values = new Set(
    field === undefined ? [] : rows.flatMap((row) => (row.has(field.name) ? [row.get(field.name)] : [])),
  );
  const [value] = values;
  const [location = null, ...others] = locations;
  const isHidden = field !== undefined && isMasked(field);
  return {
    collection: collection.name,
    field: field?.name ?? null,
    value: values.size !== 1 || isHidden ? null : Buffer.isBuffer(value) ? value.toString('base64') : value,
    ...(location !== null && others.length === 0 && locationOf(location, field)),
  };
};

const locationOf = (location: PayloadLocation, field: Field | undefined) => ({
  ...(location.path.length > 0 && { path: location.path }),
  ...locationDetails(location, field?.name),
});

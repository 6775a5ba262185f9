/** Payloads as rows to be written: names and grants checked, values read by type, all problems told at once. */
import type { Grant } from '../access/grant.js';
import { always } from '../access/grant.js';
import type { Action } from '../access/policies.js';
import type { Collection, Field, ToMany } from '../collection.js';
import { ApiError, apiError, forbidden, invalidPayload, throwProblems } from '../errors.js';
import { parseFilter } from '../request/filter.js';
import { findListProblems } from './list.js';
import { findRuleProblems } from './permission.js';
import { ruleToCondition } from './rule.js';
import { fieldRule, openScope, type PlanContext } from './scope.js';
import { allOf, type Condition } from './types.js';
import { validateFilter, validateRule, type Failure } from './validate.js';
import { keptValue, readValue, type ReadValue, type Scalar } from './values.js';

/** Values by field; `null` is null. */
export type WriteRow = ReadonlyMap<string, Scalar | null>;

export interface WriteContext extends PlanContext {
  /** Replaces variables in presets and validation. */
  resolve(value: unknown): unknown;
  /** What the server fills in. */
  readonly fills: { readonly user: string | null; now(): string; uuid(): string };
  /** Lists from the top of the payload to here; absent at its top. */
  readonly path?: readonly string[];
  /** What rows of a list hold of their owner, by field; `null`: not known yet. Absent at the top. */
  readonly owner?: ReadonlyMap<string, Scalar | null>;
}

/** A list that is written through its owner. */
export interface ListWrite {
  readonly relation: ToMany;
  /** As the client sent it. */
  readonly value: unknown;
  /** Place of the owner among the rows of the plan. */
  readonly row: number;
}

export interface CreatePlan {
  readonly collection: Collection;
  readonly grant: Grant;
  readonly rows: readonly WriteRow[];
  readonly lists: readonly ListWrite[];
}

export interface UpdatePlan {
  readonly collection: Collection;
  readonly grant: Grant;
  /** One row of values for all keys. */
  readonly row: WriteRow;
  readonly lists: readonly ListWrite[];
  /** What the stored row must pass: the grant's rows, and the rule of every field that is written. */
  readonly where: Condition;
}

export interface DeletePlan {
  readonly collection: Collection;
  readonly grant: Grant;
  readonly where: Condition;
}

type Payload = Readonly<Record<string, unknown>>;

/** @throws FORBIDDEN, INVALID_PAYLOAD, FAILED_VALIDATION, VALUE_TOO_LONG, VALUE_OUT_OF_RANGE: all of all rows */
export const planCreate = (
  collection: Collection,
  payloads: readonly unknown[],
  context: WriteContext,
): CreatePlan => {
  const { grant } = openScope(collection, 'create', context);
  if (grant === null) throw new Error('a write needs a grant');
  const problems: ApiError[] = [];
  const lists: ListWrite[] = [];
  const rows = payloads.map((payload, index) =>
    readRow(requireObject(payload), {
      grant,
      action: 'create',
      index: payloads.length > 1 ? index : null,
      problems,
      lists,
      writing: context,
    }),
  );
  throwProblems(problems);
  return { collection, grant, rows, lists };
};

/** @throws as `planCreate` */
export const planUpdate = (collection: Collection, payload: unknown, context: WriteContext): UpdatePlan => {
  const scope = openScope(collection, 'update', context);
  const { grant } = scope;
  if (grant === null) throw new Error('a write needs a grant');
  const problems: ApiError[] = [];
  const lists: ListWrite[] = [];
  const given = requireObject(payload);
  const row = readRow(given, { grant, action: 'update', index: null, problems, lists, writing: context });
  throwProblems(problems);
  const names = [...Object.keys(given), ...(context.owner?.keys() ?? [])];
  const rules = [...new Set(names)]
    .filter((name) => row.has(name) || lists.some(({ relation }) => relation.name === name))
    .map((name) => fieldRule(scope, name))
    .filter((rule) => rule !== null);
  return { collection, grant, row, lists, where: allOf([ruleToCondition(grant.rows, scope), ...rules]) };
};

export const planDelete = (collection: Collection, context: PlanContext): DeletePlan => {
  const scope = openScope(collection, 'delete', context);
  const { grant } = scope;
  if (grant === null) throw new Error('a write needs a grant');
  return { collection, grant, where: ruleToCondition(grant.rows, scope) };
};

const requireObject = (payload: unknown): Payload => {
  if (typeof payload === 'object' && payload !== null && !Array.isArray(payload)) return payload as Payload;
  throw invalidPayload('an item must be an object of field names and values');
};

interface RowContext {
  readonly grant: Grant;
  readonly action: Extract<Action, 'create' | 'update'>;
  /** Place in a list of payloads. */
  readonly index: number | null;
  readonly problems: ApiError[];
  readonly lists: ListWrite[];
  readonly writing: WriteContext;
}

/** What the client sends wins over presets, which are an administrator's: not bound to the field list. */
const readRow = (sent: Payload, context: RowContext): WriteRow => {
  const { grant, problems, action } = context;
  const payload = withoutOwner(sent, context.writing);
  const row = new Map<string, Scalar | null>();
  const presets = resolvePresets(payload, context);
  for (const name of Object.keys(presets))
    setValue(row, { name, value: presets[name], preset: true }, context);
  for (const name of Object.keys(payload))
    setValue(row, { name, value: payload[name], preset: false }, context);
  setOwner(row, context);
  fill(row, context);
  const given = presets === nothing ? payload : { ...presets, ...payload };
  if (action === 'create') findMissing(row, given, context);
  validate(given, row, context);
  if (grant.collection.access) problems.push(...refuseRules(row, context));
  for (const name of row.keys()) if (!grant.collection.fields.has(name)) row.delete(name);
  return row;
};

const nothing: Payload = {};

/** Of the presets, what the client does not send. */
const resolvePresets = (payload: Payload, { grant, writing }: RowContext): Payload => {
  const names = Object.keys(grant.presets).filter((name) => !Object.hasOwn(payload, name));
  if (names.length === 0) return nothing;
  return Object.fromEntries(names.map((name) => [name, writing.resolve(grant.presets[name])]));
};

interface GivenValue {
  readonly name: string;
  readonly value: unknown;
  readonly preset: boolean;
}

const setValue = (
  row: Map<string, Scalar | null>,
  { name, value, preset }: GivenValue,
  context: RowContext,
): void => {
  const list = preset ? null : listOf(name, context.grant);
  if (list !== null) {
    context.problems.push(...findListProblems(list, value, context.writing));
    context.lists.push({ relation: list, value, row: context.index ?? 0 });
    return;
  }
  const field = readableField(name, preset, context);
  if (field === null || isIgnored(field, value, context)) return;
  const read = readField(field, value, context);
  if (read instanceof ApiError) context.problems.push(read);
  else row.set(name, read);
};

/** `null`: no list, or not one the caller may write. */
const listOf = (name: string, { collection, fields }: Grant): ToMany | null => {
  const relation = collection.relations.get(name);
  return relation?.kind === 'oneToMany' && fields.has(name) ? relation : null;
};

/** Whose a row of a list is says the list, whatever the row says. */
const withoutOwner = (payload: Payload, { owner }: WriteContext): Payload =>
  owner === undefined
    ? payload
    : Object.fromEntries(Object.entries(payload).filter(([name]) => !owner.has(name)));

/** The owner's key takes a permission like any other value. */
const setOwner = (row: Map<string, Scalar | null>, context: RowContext): void => {
  const { owner } = context.writing;
  if (owner === undefined) return;
  for (const [name, value] of owner) {
    if (readableField(name, false, context) !== null && value !== null) row.set(name, value);
  }
};

/** `null`, with a problem told, for what may not be written. */
const readableField = (
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
  if (field.generated === true) {
    problems.push(invalidPayload(`"${name}" is computed by the database and cannot be written`));
    return null;
  }
  if (field.readonly === true && !grant.admin && !preset) {
    problems.push(forbidden(`the field "${name}" is read-only`));
    return null;
  }
  return field;
};

/** A key never changes; a counted key given as null is not given. */
const isIgnored = (field: Field, value: unknown, { grant, action }: RowContext): boolean => {
  const isKey = grant.collection.key.some((part) => part.name === field.name);
  return isKey && (action === 'update' || (field.auto === true && value === null));
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

const refusal = (
  field: Field,
  { read, value }: { readonly read: Extract<ReadValue, { ok: false }>; readonly value: unknown },
  context: RowContext,
): ApiError => {
  const details = { collection: context.grant.collection.name, field: field.name, value, ...place(context) };
  const explanation = `"${field.name}" takes ${read.expected}`;
  if (read.problem === 'length') return apiError('VALUE_TOO_LONG', details, explanation);
  if (read.problem === 'range') return apiError('VALUE_OUT_OF_RANGE', details, explanation);
  return failed(field, { type: 'type', expected: read.expected, value }, context);
};

const place = ({ index }: RowContext): { readonly index?: number } => (index === null ? {} : { index });

const failed = (
  field: Field,
  { type, expected, value }: { readonly type: string; readonly expected: string; readonly value: unknown },
  context: RowContext,
): ApiError =>
  apiError(
    'FAILED_VALIDATION',
    {
      collection: context.grant.collection.name,
      field: field.name,
      path: context.writing.path ?? [],
      type,
      expected,
      ...(value === undefined || value === null ? {} : { invalid: value }),
      ...place(context),
    },
    `"${field.name}" takes ${expected}`,
  );

/** Server-side values; on create, what the client sends wins. */
const fill = (row: Map<string, Scalar | null>, { grant, action, writing }: RowContext): void => {
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

const findMissing = (row: WriteRow, given: Payload, context: RowContext): void => {
  for (const field of context.grant.collection.required) {
    if (row.has(field.name) || Object.hasOwn(given, field.name)) continue;
    if (context.writing.owner?.has(field.name) === true) continue;
    const expected = 'a value; it is required';
    context.problems.push(failed(field, { type: 'required', expected, value: null }, context));
  }
};

const validate = (given: Payload, row: WriteRow, context: RowContext): void => {
  const { grant, problems } = context;
  const { resolve } = context.writing;
  const { validated } = grant.collection;
  if (validated.length === 0 && grant.validation === always) return;
  const payload = new Map<string, unknown>([...row, ...Object.entries(given)]);
  const failures: (Failure & { readonly message?: string })[] = [
    ...validated
      .filter(({ name }) => row.has(name))
      .flatMap((field) => validateField(field, { payload, resolve })),
    ...validateRule(grant.validation, { payload, resolve }),
  ];
  for (const failure of failures) problems.push(toProblem(failure, payload.get(failure.field), context));
};

const refuseRules = (row: WriteRow, context: RowContext): readonly ApiError[] =>
  findRuleProblems(context.grant.collection, row).flatMap(({ field: name, expected }) => {
    const field = context.grant.collection.fields.get(name);
    return field === undefined
      ? []
      : [failed(field, { type: 'rule', expected, value: row.get(name) }, context)];
  });

const validateField = (
  field: Field,
  context: { readonly payload: ReadonlyMap<string, unknown>; resolve(value: unknown): unknown },
): readonly (Failure & { readonly message?: string })[] => {
  const values: unknown[] = [];
  const filter = parseFilter(field.validation ?? {}, values);
  const message = field.validationMessage;
  const failures = validateFilter(filter, { ...context, values });
  if (message === undefined) return failures;
  return failures.map(({ field: name, type, operand }) => ({ field: name, type, operand, message }));
};

const toProblem = (
  { field, type, operand, message }: Failure & { readonly message?: string },
  value: unknown,
  context: RowContext,
): ApiError =>
  apiError(
    'FAILED_VALIDATION',
    {
      collection: context.grant.collection.name,
      field,
      path: context.writing.path ?? [],
      type,
      ...(operand === null || operand === undefined || type === 'regex' ? {} : { valid: operand }),
      ...(type === 'regex' ? { invalid: value } : {}),
      ...place(context),
    },
    message ?? `"${field}" does not pass "_${type}"`,
  );

/** Payloads as rows to be written: names and grants checked, values read by type, all problems told at once. */
import { always, listsField, narrowGrant, type Grant } from '../access/grant.js';
import type { Action } from '../access/policies.js';
import type { Collection, Field, ToMany } from '../../contract/collection.js';
import { ApiError, forbidden, invalidPayload, throwProblems } from '../../contract/errors.js';
import { parseFilter } from '../request/filter.js';
import { findListProblems } from './list.js';
import { findRuleProblems } from './permission.js';
import { failed, refusal, toProblem, type ToldFailure } from './problems.js';
import { ruleToCondition } from './rule.js';
import { fieldRule, openScope, type PlanContext } from './scope.js';
import { allOf, type Condition } from './types.js';
import { validateFilter, validateRule, type Failure } from './validate.js';
import { keptValue, readValue, type Scalar } from './values.js';

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
  const rows = payloads.map(
    (payload, index) =>
      readRow(requireObject(payload), {
        grant,
        action: 'create',
        index: payloads.length > 1 ? index : null,
        problems,
        lists,
        writing: context,
      }).row,
  );
  throwProblems(problems);
  return { collection, grant, rows, lists };
};

/** @throws as `planCreate` */
export const planUpdate = (collection: Collection, payload: unknown, context: WriteContext): UpdatePlan => {
  const whole = openScope(collection, 'update', context);
  if (whole.grant === null) throw new Error('a write needs a grant');
  const problems: ApiError[] = [];
  const lists: ListWrite[] = [];
  const given = requireObject(payload);
  const { row, grant } = readRow(given, {
    grant: whole.grant,
    action: 'update',
    index: null,
    problems,
    lists,
    writing: context,
  });
  throwProblems(problems);
  const scope = { ...whole, grant };
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
  /** Its lists have been read, under a grant that permitted more. */
  readonly again?: true;
  readonly writing: WriteContext;
}

interface PermittedRow {
  readonly row: WriteRow;
  /** Of the permissions whose validation the payload passes. */
  readonly grant: Grant;
}

/** Where validation drops a permission, the row is read again without what that alone presets. */
const readRow = (sent: Payload, context: RowContext): PermittedRow => {
  const read = readValues(sent, context);
  if (read.grant === context.grant || context.problems.length > 0) return read;
  return readRow(sent, { ...context, grant: read.grant, again: true });
};

/** What the client sends wins over presets, which are an administrator's: not bound to the field list. */
const readValues = (sent: Payload, context: RowContext): PermittedRow => {
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
  const permitted = validate({ given, sent: payload, row }, context);
  if (grant.collection.access) problems.push(...refuseRules(row, context));
  for (const name of row.keys()) if (!grant.collection.fields.has(name)) row.delete(name);
  return { row, grant: permitted };
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
    if (context.again === true) return;
    context.problems.push(...findListProblems(list, value, context.writing));
    context.lists.push({ relation: list, value, row: context.index ?? 0 });
    return;
  }
  if (isKept(name, context)) return;
  const field = writableField(name, preset, context);
  if (field === null || isUncounted(field, value, context) || isComputed(field, context)) return;
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
    const field = writableField(name, false, context);
    if (field !== null && value !== null && !isComputed(field, context)) row.set(name, value);
  }
};

/** `null`, with a problem told, for what may not be written. */
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

/** A key never changes: in an update it says which item is meant, and takes no permission. */
const isKept = (name: string, { grant, action }: RowContext): boolean =>
  action === 'update' && isKey(name, grant);

/** A counted key given as null is not given. */
const isUncounted = ({ name, auto }: Field, value: unknown, { grant }: RowContext): boolean =>
  auto === true && value === null && isKey(name, grant);

const isKey = (name: string, { collection }: Grant): boolean =>
  collection.key.some((part) => part.name === name);

/** Told as a problem. */
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

/** Fields that the caller may not write are not named. */
const findMissing = (row: WriteRow, given: Payload, context: RowContext): void => {
  const { grant, problems, writing } = context;
  const missing = grant.collection.required.filter(
    ({ name }) => !row.has(name) && !Object.hasOwn(given, name) && writing.owner?.has(name) !== true,
  );
  const expected = 'a value; it is required';
  for (const field of missing.filter(({ name }) => grant.fields.has(name)))
    problems.push(failed(field, { type: 'required', expected, value: null }, context));
  if (missing.some(({ name }) => !grant.fields.has(name)))
    problems.push(forbidden(`"${grant.collection.name}" needs values that you may not write`));
};

const ownerNames = ({ writing }: RowContext): readonly string[] => [...(writing.owner?.keys() ?? [])];

type Values = ReadonlyMap<string, unknown>;

/** @returns what is permitted of it */
const validate = (
  { given, sent, row }: { readonly given: Payload; readonly sent: Payload; readonly row: WriteRow },
  context: RowContext,
): Grant => {
  const { grant } = context;
  const isValidated = grant.permissions.some(({ validation }) => validation !== always);
  if (!isValidated && grant.collection.validated.length === 0) return grant;
  const payload = new Map<string, unknown>([...Object.entries(given), ...row]);
  validateFields(row, payload, context);
  return validateGrant([...Object.keys(sent), ...ownerNames(context)], payload, context);
};

const validateFields = (row: WriteRow, payload: Values, context: RowContext): void => {
  const { collection } = context.grant;
  for (const field of collection.validated) {
    if (row.has(field.name)) tellFailures(validateField(field, payload, context), payload, context);
  }
};

/**
 * A permission whose validation fails permits nothing of this payload: what others permit is left.
 * Told is what the first permission asks of each field that is permitted no more.
 */
const validateGrant = (names: readonly string[], payload: Values, context: RowContext): Grant => {
  const { grant, writing } = context;
  const failed = new Map<Grant['permissions'][number], readonly Failure[]>();
  for (const permission of grant.permissions) {
    if (permission.validation === always) continue;
    const failures = validateRule(permission.validation, {
      collection: grant.collection,
      payload,
      nullPasses: false,
      resolve: writing.resolve,
    });
    if (failures.length > 0) failed.set(permission, failures);
  }
  if (failed.size === 0) return grant;
  const left = narrowGrant(grant, (permission) => !failed.has(permission));
  const [first] = failed.keys();
  const told = new Set(left === null ? [first] : []);
  for (const name of names) {
    if (left?.fields.has(name) !== true && !isKept(name, context))
      told.add([...failed.keys()].find((permission) => listsField(permission, name)));
  }
  for (const permission of told) {
    if (permission !== undefined) tellFailures(failed.get(permission) ?? [], payload, context);
  }
  return left ?? grant;
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
  payload: Values,
  { grant, writing }: RowContext,
): readonly ToldFailure[] => {
  const values: unknown[] = [];
  const filter = parseFilter(field.validation ?? {}, values);
  const message = field.validationMessage;
  const failures = validateFilter(filter, {
    collection: grant.collection,
    payload,
    nullPasses: true,
    resolve: writing.resolve,
    values,
  });
  if (message === undefined) return failures;
  return failures.map(({ field: name, type, operand }) => ({ field: name, type, operand, message }));
};

const tellFailures = (failures: readonly ToldFailure[], payload: Values, context: RowContext): void => {
  for (const failure of failures)
    context.problems.push(toProblem(failure, payload.get(failure.field), context));
};

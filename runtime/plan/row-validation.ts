/** Validates rows against the rules of their fields and of the permissions they require. */
import { always, listsField, restrictGrant, type Grant, type Rule } from '../access/grant.js';
import type { Collection, Field } from '../../contract/collection.js';
import { forbidden, throwProblems, type ApiError } from '../../contract/errors.js';
import { parseFilter, type Filter } from '../request/filter.js';
import { findRuleProblems } from './access-rows.js';
import { hiddenRuleError, validationError, ruleError, type ReportedFailure } from './problems.js';
import { isUnchangedKey, type Payload, type RowContext } from './row-context.js';
import { evaluateFilter, evaluateRule, type Failure } from './filter-evaluation.js';
import { isOwnerOperand, type ListRow } from './write-plan.js';
import type { Scalar } from './parsed-value.js';

/** A row and the input it was built from. */
export interface RowInput {
  readonly row: ListRow;
  /** Presets and payload, before parsing. */
  readonly given: Payload;
  /** Names that require a permission. */
  readonly names: readonly string[];
}

/** A validation that depends on values of the owner. */
export interface OwnerCheck {
  readonly input: RowInput;
  /** The context; its grant includes the permissions whose rules are undecided. */
  readonly context: RowContext;
}

/** A validation that depends on values that only the stored row has. */
export interface StoredCheck {
  /** Fields to read from the stored row. */
  readonly columns: readonly Field[];
  readonly names: readonly string[];
  /** Values that the request determines. */
  readonly values: Values;
  readonly context: RowContext;
}

export interface RowValidation {
  /** The grant of the permissions whose validation passes. */
  readonly grant: Grant;
  readonly check: OwnerCheck | null;
  readonly stored: StoredCheck | null;
}

/** Validates a row as far as its values are known; adds failures to `problems`. */
export const validateRow = (input: RowInput, context: RowContext): RowValidation => {
  const { collection } = context.grant;
  if (collection.access) context.problems.push(...findRuleFailures(input.row, context));
  const isValidated = context.grant.permissions.some(({ validation }) => validation !== always);
  if (!isValidated && collection.validated.length === 0)
    return { grant: context.grant, check: null, stored: null };
  const values = knownValues(input, context);
  validateFields(input.row, values, context);
  const decided = decidedValues(values, collection);
  const grant = validateGrant({ names: input.names, written: values }, decided, context);
  const isDecided = context.owner.size === 0 || !dependsOnOwner(input.row, { ...context, grant });
  return {
    grant,
    check: isDecided ? null : { input, context: { ...context, grant } },
    stored: toStoredCheck({ names: input.names, values: decided, context: { ...context, grant } }),
  };
};

/** Returns the values that the row will have. A trigger may change any; those with a hash are validated as they are sent. */
const decidedValues = (values: Values, { triggers, fields }: Collection): Values =>
  triggers ? new Map([...values].filter(([name]) => isHashed(fields.get(name)))) : values;

/** Returns whether the column holds a hash of the value. */
const isHashed = (field: Field | undefined): boolean => field?.hash === true || field?.token === true;

/** Returns the check of the fields that rules name and the request does not determine, or null where there is none. */
const toStoredCheck = (check: Omit<StoredCheck, 'columns'>): StoredCheck | null => {
  const { values, context } = check;
  const { collection, permissions } = context.grant;
  const names = new Set(permissions.flatMap(({ validation }) => ruleNames(validation)));
  const columns = [...collection.fields.values()].filter(
    (field) => names.has(field.name) && !values.has(field.name) && isReadable(field, context),
  );
  return columns.length === 0 ? null : { ...check, columns };
};

/** Returns whether the stored value has to be read and can be: an owner's value is known by then, a hash is none. */
const isReadable = ({ name, hash }: Field, { owner, action, grant }: RowContext): boolean =>
  (!owner.has(name) || grant.collection.triggers) && !(hash === true && action === 'update');

const ruleNames = (rule: Rule): readonly string[] =>
  rule.kind === 'always' ? [] : rule.filters.flatMap(({ filter }) => filterNames(filter));

const filterNames = (filter: Filter): readonly string[] => {
  if (filter.kind === 'field') return [filter.name];
  return 'filters' in filter ? filter.filters.flatMap(filterNames) : [];
};

/**
 * Completes a validation with values that were read from the stored row, which has been written by then. @param row the
 * values that were written, with those of the owner
 * @returns the remaining grant
 * @throws FAILED_VALIDATION
 */
export const checkStored = ({ names, values, context }: StoredCheck, stored: Values, row: ListRow): Grant => {
  const problems: ApiError[] = [];
  const owned = [...context.owner.keys()].map((name) => [name, row.get(name)] as const);
  // keys of parents and positions are known by now
  const written = new Map<string, unknown>([...row, ...values, ...owned]);
  const complete = new Map([...written, ...stored]);
  const checked = { ...context, problems };
  const grant = validateGrant({ names, written }, complete, checked);
  const failures = findFailures(complete, context);
  for (const [{ presets }, failed] of problems.length > 0 ? [] : failures)
    if (hasPresets(presets)) addFailures(failed, written, checked);
  throwProblems(problems);
  return grant;
};

/** Returns whether a permission sets values, which the row to write contains already. */
const hasPresets = (presets: Payload | null): boolean => Object.keys(presets ?? {}).length > 0;

/**
 * Completes a validation with the values of the owner. A permission that fails here must not have presets,
 * which the row contains already.
 * @returns the remaining grant
 * @throws FAILED_VALIDATION, FORBIDDEN
 */
export const checkOwner = ({ input, context }: OwnerCheck, values: readonly Scalar[]): Grant => {
  const problems: ApiError[] = [];
  const owner = new Map(
    [...context.owner].map(([name, { operand }]) => [
      name,
      { operand, known: operand.from === 'owner' ? (values[operand.index] ?? null) : null },
    ]),
  );
  const { grant } = validateRow(input, { ...context, owner, problems });
  throwProblems(problems);
  const dropped = context.grant.permissions.filter((permission) => !grant.permissions.includes(permission));
  if (dropped.some(({ presets }) => hasPresets(presets))) {
    throw forbidden(`"${grant.collection.name}" takes values that you may not write`);
  }
  return grant;
};

type Values = ReadonlyMap<string, unknown>;

const knownValues = ({ given, row }: RowInput, { owner }: RowContext): Values => {
  const values = new Map<string, unknown>(Object.entries(given));
  for (const [name, value] of row) {
    const known = isOwnerOperand(value) ? (owner.get(name)?.known ?? null) : value;
    if (isOwnerOperand(value) && known === null) values.delete(name);
    else values.set(name, known);
  }
  return values;
};

const dependsOnOwner = (row: ListRow, { grant, owner }: RowContext): boolean =>
  grant.permissions.some(({ validation }) => ruleNames(validation).some((name) => owner.has(name))) ||
  grant.collection.validated.some(
    ({ name, validation }) =>
      row.has(name) && filterNames(parseFilter(validation ?? {}, [])).some((each) => owner.has(each)),
  );

const validateFields = (row: ListRow, values: Values, context: RowContext): void => {
  for (const field of context.grant.collection.validated) {
    if (row.has(field.name)) addFailures(validateField(field, values, context), values, context);
  }
};

/** The values of a request. Errors may repeat them, but not values that are only stored, which the caller might not read. */
interface Written {
  /** Names that require a permission. */
  readonly names: readonly string[];
  readonly written: Values;
}

/**
 * Drops the permissions whose validation fails. Reports, for each field that no remaining permission covers,
 * the failures of the first permission that lists it.
 */
const validateGrant = ({ names, written }: Written, values: Values, context: RowContext): Grant => {
  const { grant } = context;
  const failures = findFailures(values, context);
  if (failures.size === 0) return grant;
  const remaining = restrictGrant(grant, (permission) => !failures.has(permission));
  const [first] = failures.keys();
  const reported = new Set<Grant['permissions'][number] | undefined>(remaining === null ? [first] : []);
  for (const name of names) {
    if (remaining?.fields.has(name) !== true && !isUnchangedKey(name, context))
      reported.add([...failures.keys()].find((permission) => listsField(permission, name)));
  }
  for (const permission of reported) {
    if (permission !== undefined) addFailures(failures.get(permission) ?? [], written, context);
  }
  return remaining ?? grant;
};

/** Returns the failures of every permission whose validation fails. */
const findFailures = (
  payload: Values,
  { grant, writing: { resolve, matches } }: RowContext,
): ReadonlyMap<Grant['permissions'][number], readonly Failure[]> => {
  const found = new Map<Grant['permissions'][number], readonly Failure[]>();
  const context = { collection: grant.collection, payload, nullPasses: false, resolve, matches };
  for (const permission of grant.permissions) {
    if (permission.validation === always) continue;
    const failures = evaluateRule(permission.validation, context);
    if (failures.length > 0) found.set(permission, failures);
  }
  return found;
};

const findRuleFailures = (row: ListRow, context: RowContext): readonly ApiError[] =>
  findRuleProblems(context.grant.collection, row).flatMap(({ field: name, expected }) => {
    const field = context.grant.collection.fields.get(name);
    return field === undefined
      ? []
      : [validationError(field, { type: 'rule', expected, value: row.get(name) }, context)];
  });

const validateField = (
  field: Field,
  payload: Values,
  { grant, writing }: RowContext,
): readonly ReportedFailure[] => {
  const values: unknown[] = [];
  const filter = parseFilter(field.validation ?? {}, values);
  const failures = evaluateFilter(filter, {
    collection: grant.collection,
    payload,
    nullPasses: true,
    resolve: writing.resolve,
    matches: writing.matches,
    values,
  });
  const { validationMessage, validationType } = field;
  const reported = {
    ...(validationMessage !== undefined && { message: validationMessage }),
    ...(validationType !== undefined && { type: validationType, operand: null }),
  };
  return failures.map((failure) => Object.assign(failure, reported));
};

/** Reports failures; those of stored values that the caller may not know as one, which names none of them. */
const addFailures = (failures: readonly ReportedFailure[], values: Values, context: RowContext): void => {
  if (failures.length === 0) return;
  const { grant, writing, problems } = context;
  const readable = writing.policies.grant(grant.collection, 'read')?.fields;
  const isKnown = ({ field }: Failure): boolean =>
    !grant.collection.fields.has(field) ||
    values.has(field) ||
    grant.fields.has(field) ||
    readable?.has(field) === true;
  for (const failure of failures.filter(isKnown))
    problems.push(ruleError(failure, values.get(failure.field), context));
  if (!failures.every(isKnown)) problems.push(hiddenRuleError(context));
};

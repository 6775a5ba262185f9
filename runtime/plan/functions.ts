/** Plans calls of functions, such as `year(born)` and `count(works)`, as columns that are computed. */
import type { Field } from '../../contract/collection.js';
import { isMasked } from '../../contract/fields.js';
import { invalidQuery } from '../../contract/errors.js';
import {
  callToText,
  functionNames,
  functionsOf,
  isDatePart,
  maxJsonSteps,
  parseCall,
  parseJsonPath,
  type FunctionCall,
  type JsonStep,
} from '../../contract/functions.js';
import {
  crossRelation,
  fieldRule,
  findRelation,
  forbiddenField,
  isNamePermitted,
  readableRows,
  requireField,
  type Scope,
} from './scope.js';
import type { ColumnRef, Computed } from './types.js';

/**
 * Returns the function call that a name is, or null for a name without the syntax of a call.
 * @throws INVALID_QUERY for an unknown function, or one without an argument
 */
export const findCall = (scope: Scope, name: string): FunctionCall | null => {
  if (scope.collection.fields.has(name) || scope.collection.relations.has(name)) return null;
  const call = parseCall(name);
  if (call !== null) return call;
  const used = /^(\w*)\(/.exec(name);
  if (used === null || !name.endsWith(')')) return null;
  throw invalidQuery(
    `"${name}" is not a function of a field; functions are ${functionNames.join(', ')}, as in year(created)`,
  );
};

type Called = Pick<ColumnRef, 'field' | 'rule' | 'computed'>;

/** Plans a call. @throws FORBIDDEN for its argument, INVALID_QUERY where the function does not apply to it */
export const planCall = (call: FunctionCall, scope: Scope): Called => {
  const { argument } = call;
  if (!isNamePermitted(scope, argument)) throw forbiddenField(scope, argument);
  return { field: resultField(call), rule: fieldRule(scope, argument), computed: computedOf(call, scope) };
};

const resultField = (call: FunctionCall): Field => ({
  name: callToText(call),
  ...(call.name === 'json' ? { type: 'json' } : { type: 'integer', bits: 64 }),
  nullable: true,
});

const computedOf = (call: FunctionCall, scope: Scope): Computed => {
  const { name, argument } = call;
  const relation = findRelation(scope, argument);
  if (relation?.kind === 'oneToMany') {
    if (name !== 'count') throw doesNotApply(call, `the list "${argument}"`, ['count']);
    const target = crossRelation(scope, relation);
    if (target === null) throw forbiddenField(scope, argument);
    return { kind: 'rows', relation, where: readableRows(target) };
  }
  const source = requireField(scope, argument);
  const known = isMasked(source) ? [] : functionsOf(source.type);
  if (!known.includes(name)) throw doesNotApply(call, `"${argument}" (${source.type})`, known);
  if (call.name === 'json') return { kind: 'json', source, path: readPath(call.path), as: 'value' };
  if (!isDatePart(name)) return { kind: 'length', source };
  // a rule means the same whoever asks
  return { kind: 'part', part: name, source, zone: scope.grant === null ? null : scope.context.zone };
};

/** @throws INVALID_QUERY */
const readPath = (path: string): readonly JsonStep[] => {
  const steps = parseJsonPath(path);
  if (steps !== null) return steps;
  const form = `keys and indexes, ${maxJsonSteps} at most, as in json(settings, theme.colors[0])`;
  throw invalidQuery(
    path === '' ? `json() needs a path: ${form}` : `"${path}" is not a path into JSON; it has ${form}`,
  );
};

const doesNotApply = ({ name }: FunctionCall, what: string, known: readonly string[]): Error =>
  invalidQuery(
    `${name}() does not apply to ${what}; ${known.length === 0 ? 'no function does' : `it supports ${known.join(', ')}`}`,
  );

/** Compiles comparisons of a value in JSON, which is compared as a number with numbers, and as a text with texts. */
import { operators, operatorsIn, type OperatorGroup } from '../../contract/operators.js';
import type { ColumnRef, Computed, Condition, Operand } from '../plan/types.js';
import { readJsonAs } from '../plan/comparison.js';
import type { SqlDialect } from '../databases/contract.js';
import { compileComparison } from './comparison.js';
import { sql, type BindInput, type Parameter, type Sql } from './fragment.js';

type Compare = Extract<Condition, { kind: 'compare' }>;
type InJson = Extract<Computed, { kind: 'json' }>;

interface Options {
  readonly computed: InJson;
  readonly dialect: SqlDialect;
  compileColumn(column: ColumnRef): Sql;
}

const comparisonsIn = (groups: readonly OperatorGroup[]): ReadonlySet<Compare['operator']> =>
  new Set([...operatorsIn(groups)].flatMap((name) => operators[name].comparison ?? []));

const ordered = comparisonsIn(['order']);
const compared = comparisonsIn(['order', 'equality', 'membership']);

/** A number with a number where both are numbers, and otherwise their texts; a number is never before or after a text. */
export const compileJsonComparison = (condition: Compare, options: Options): Sql => {
  const text = compileAs('text', condition, options);
  return compared.has(condition.operator)
    ? sql`coalesce(${compileAs('number', condition, options)}, ${text})`
    : text;
};

const compileAs = (
  as: 'text' | 'number',
  condition: Compare,
  { computed, dialect, compileColumn }: Options,
): Sql => {
  const column = readJsonAs(condition.column, computed, as);
  const isOrdered = ordered.has(condition.operator);
  const number = compileColumn(readJsonAs(column, computed, 'number'));
  const left = compileColumn(column);
  const value = as === 'text' && isOrdered ? sql`case when ${number} is null then ${left} end` : left;
  const operand = as === 'number' ? withoutErrors(condition.operand) : condition.operand;
  const parts = compileComparison({ ...condition, column, operand }, sql`(${value})`, dialect);
  // the rule of the column has values of its own
  const ofColumn = new Set(value);
  return parts.map((part) => {
    if (typeof part === 'string' || ofColumn.has(part)) return part;
    return as === 'number' ? asNumber(part, condition.operand) : asText(part, isOrdered);
  });
};

/** Returns the operand of which a value that the field does not take becomes null instead of an error. */
const withoutErrors = (operand: Operand): Operand =>
  operand.from === 'query' ? { ...operand, from: 'text' } : operand;

/** Resolves the variables of a client, which `withoutErrors` leaves as they are. */
const asNumber = (parameter: Parameter, operand: Operand): Parameter =>
  operand.from === 'query'
    ? { ...parameter, read: (input) => parameter.read(resolveSlot(operand.slot, input)) }
    : parameter;

const resolveSlot = (slot: number, input: BindInput): BindInput => {
  const value = input.values[slot];
  const resolved = Array.isArray(value)
    ? value.flatMap((each) => input.resolveQueryValue(each))
    : input.resolveQueryValue(value);
  return { ...input, values: input.values.with(slot, resolved) };
};

/** Spells operands as texts; a number is nothing that texts come before or after. */
const asText = (parameter: Parameter, isOrdered: boolean): Parameter => ({
  ...parameter,
  read(input) {
    const value = parameter.read(spellValues(input));
    return isOrdered && typeof value === 'string' && isNumber(value) ? null : value;
  },
});

const isNumber = (text: string): boolean => text.trim() !== '' && Number.isFinite(Number(text));

const spellValues = (input: BindInput): BindInput => ({
  ...input,
  values: input.values.map(spell),
  resolve: (value) => spell(input.resolve(value)),
  resolveQueryValue: (value) => spell(input.resolveQueryValue(value)),
});

const spell = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(spell);
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : value;
};

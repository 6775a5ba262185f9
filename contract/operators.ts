/** Filter operators: which there are, and which a field knows by its type. Whatever is told of them is made of this. */
import type { FieldType } from './collection.js';

const nullness = ['null', 'nnull'] as const;
const emptiness = ['empty', 'nempty', ...nullness] as const;
const equality = ['eq', 'neq', 'in', 'nin', ...nullness] as const;
const order = ['lt', 'lte', 'gt', 'gte', 'between', 'nbetween'] as const;
const matching = [
  'contains',
  'ncontains',
  'icontains',
  'nicontains',
  'starts_with',
  'nstarts_with',
  'istarts_with',
  'nistarts_with',
  'ends_with',
  'nends_with',
  'iends_with',
  'niends_with',
] as const;

/** In the order in which they are told; `regex` is for the `validation` of fields alone. */
export const operatorNames = [...equality, ...order, ...matching, 'empty', 'nempty', 'regex'] as const;

export type Operator = (typeof operatorNames)[number];

/** What stands behind an operator; behind all others one value. `flag`: whether it holds. */
const operands: ReadonlyMap<Operator, 'flag' | 'list' | 'range'> = new Map([
  ...emptiness.map((name) => [name, 'flag'] as const),
  ['in', 'list'],
  ['nin', 'list'],
  ['between', 'range'],
  ['nbetween', 'range'],
] as const);

export const operandOf = (operator: Operator): 'value' | 'flag' | 'list' | 'range' =>
  operands.get(operator) ?? 'value';

const texts: ReadonlySet<Operator> = new Set([...equality, ...matching, ...emptiness]);
const ordered: ReadonlySet<Operator> = new Set([...equality, ...order]);
const equal: ReadonlySet<Operator> = new Set(equality);
const switches: ReadonlySet<Operator> = new Set(['eq', 'neq', ...nullness] as const);
const nothing: ReadonlySet<Operator> = new Set(nullness);
const concealed: ReadonlySet<Operator> = new Set(emptiness);

const byType: Readonly<Record<FieldType, ReadonlySet<Operator>>> = {
  string: texts,
  text: texts,
  csv: texts,
  uuid: equal,
  binary: equal,
  integer: ordered,
  bigInteger: ordered,
  float: ordered,
  decimal: ordered,
  date: ordered,
  time: ordered,
  dateTime: ordered,
  timestamp: ordered,
  boolean: switches,
  json: nothing,
  unknown: nothing,
};

/** What of a field decides how it is compared. */
interface Comparable {
  readonly type: FieldType;
  readonly conceal?: boolean;
  readonly hash?: boolean;
}

/** Concealed values answer only whether there is one. */
export const operatorsOf = ({ type, conceal, hash }: Comparable): ReadonlySet<Operator> =>
  conceal === true || hash === true ? concealed : byType[type];

/** Filter operators: one record each, used by parsing, planning, validation and every emitter. */

/** Groups of operators that a field type supports as a whole. */
export type OperatorGroup =
  | 'equality'
  | 'membership'
  | 'nullness'
  | 'order'
  | 'matching'
  | 'emptiness'
  /** Operators for the `validation` of fields only. */
  | 'validation';

/** Kind of an operand. `flag`: a boolean. `range`: two bounds. `pattern`: a regular expression. */
export type OperandKind = 'value' | 'text' | 'list' | 'range' | 'flag' | 'pattern';

export interface OperatorRecord {
  readonly group: OperatorGroup;
  readonly operand: OperandKind;
  /** The operand may be null. */
  readonly nullable?: true;
  /** The comparison in conditions; absent for flags, and where NOT of the negated operator is planned. */
  readonly comparison?: string;
  /** The operator that this one negates. */
  readonly negates?: string;
}

/** Operators in the order of documentation. */
const records = {
  eq: { group: 'equality', operand: 'value', nullable: true, comparison: 'eq' },
  neq: { group: 'equality', operand: 'value', nullable: true, comparison: 'neq', negates: 'eq' },
  in: { group: 'membership', operand: 'list', comparison: 'in' },
  nin: { group: 'membership', operand: 'list', comparison: 'nin', negates: 'in' },
  null: { group: 'nullness', operand: 'flag' },
  nnull: { group: 'nullness', operand: 'flag', negates: 'null' },
  lt: { group: 'order', operand: 'value', comparison: 'lt' },
  lte: { group: 'order', operand: 'value', comparison: 'lte' },
  gt: { group: 'order', operand: 'value', comparison: 'gt' },
  gte: { group: 'order', operand: 'value', comparison: 'gte' },
  between: { group: 'order', operand: 'range', comparison: 'between' },
  nbetween: { group: 'order', operand: 'range', comparison: 'nbetween', negates: 'between' },
  contains: { group: 'matching', operand: 'text', comparison: 'contains' },
  ncontains: { group: 'matching', operand: 'text', negates: 'contains' },
  icontains: { group: 'matching', operand: 'text', comparison: 'icontains' },
  nicontains: { group: 'matching', operand: 'text', negates: 'icontains' },
  starts_with: { group: 'matching', operand: 'text', comparison: 'startsWith' },
  nstarts_with: { group: 'matching', operand: 'text', negates: 'starts_with' },
  istarts_with: { group: 'matching', operand: 'text', comparison: 'istartsWith' },
  nistarts_with: { group: 'matching', operand: 'text', negates: 'istarts_with' },
  ends_with: { group: 'matching', operand: 'text', comparison: 'endsWith' },
  nends_with: { group: 'matching', operand: 'text', negates: 'ends_with' },
  iends_with: { group: 'matching', operand: 'text', comparison: 'iendsWith' },
  niends_with: { group: 'matching', operand: 'text', negates: 'iends_with' },
  empty: { group: 'emptiness', operand: 'flag' },
  nempty: { group: 'emptiness', operand: 'flag', negates: 'empty' },
  regex: { group: 'validation', operand: 'pattern' },
} as const satisfies Readonly<Record<string, OperatorRecord>>;

export type Operator = keyof typeof records;

type Records = typeof records;

/** Operators that compare with an operand and negate no other. */
export type PositiveOperator = {
  [Name in Operator]: Records[Name] extends { readonly operand: 'flag' } | { readonly negates: string }
    ? never
    : Name;
}[Operator];

/** Comparison of a column with an operand. */
export type FilterComparison = Extract<Records[Operator], { readonly comparison: string }>['comparison'];

export interface OperatorDescriptor extends OperatorRecord {
  readonly comparison?: FilterComparison;
  readonly negates?: Operator;
}

export const operators: Readonly<Record<Operator, OperatorDescriptor>> = records;

export const operatorNames = Object.keys(records) as readonly Operator[];

/** Returns the operators of the groups, in the order of the groups. */
export const operatorsIn = (groups: readonly OperatorGroup[]): ReadonlySet<Operator> =>
  new Set(groups.flatMap((group) => operatorNames.filter((name) => operators[name].group === group)));

/** Returns the negation of an operator, or null if there is none. */
export const oppositeOf = (operator: Operator): Operator | null =>
  operators[operator].negates ?? operatorNames.find((name) => operators[name].negates === operator) ?? null;

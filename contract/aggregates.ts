/** Operations of `aggregate`, and the fields that they apply to. */
import { isMasked } from './fields.js';
import { operatorsOf } from './field-operators.js';
import { fieldTypes, type FieldType } from './field-types.js';

interface AggregateRecord {
  /** Fields that it applies to. */
  readonly of: 'any' | 'comparable' | 'number' | 'ordered';
  readonly distinct?: true;
  /** The function of SQL. */
  readonly computes: 'count' | 'sum' | 'avg' | 'min' | 'max';
}

const records = {
  count: { of: 'any', computes: 'count' },
  countDistinct: { of: 'comparable', computes: 'count', distinct: true },
  countAll: { of: 'any', computes: 'count' },
  sum: { of: 'number', computes: 'sum' },
  sumDistinct: { of: 'number', computes: 'sum', distinct: true },
  avg: { of: 'number', computes: 'avg' },
  avgDistinct: { of: 'number', computes: 'avg', distinct: true },
  min: { of: 'ordered', computes: 'min' },
  max: { of: 'ordered', computes: 'max' },
} as const satisfies Readonly<Record<string, AggregateRecord>>;

export type AggregateName = keyof typeof records;

export const aggregates: Readonly<Record<AggregateName, AggregateRecord>> = records;

export const aggregateNames = Object.keys(records) as readonly AggregateName[];

const names: ReadonlySet<string> = new Set(aggregateNames);

/**
 * Returns whether a text is an operation of `aggregate`, as spelled in queries: `countDistinct`, not
 * `count_distinct`.
 */
export const isAggregateName = (name: string): name is AggregateName => names.has(name);

/** Returns the operations that a field supports. Of masked values, only whether there are any is visible. */
export const aggregatesOf = (field: {
  readonly type: FieldType;
  readonly conceal?: boolean;
  readonly hash?: boolean;
}): readonly AggregateName[] => {
  if (isMasked(field)) return ['count', 'min', 'max'];
  const operators = operatorsOf(field);
  const { sum, isText } = fieldTypes[field.type];
  const applies = {
    any: true,
    comparable: operators.has('eq'),
    number: sum !== undefined,
    ordered: operators.has('lt') || isText === true,
  } as const;
  return aggregateNames.filter((name) => name !== 'countAll' && applies[records[name].of]);
};

/** Returns the type of the results of an operation on a field: exact numbers stay exact, and sums may need more bits. */
export const resultTypeOf = (operation: AggregateName, type: FieldType): FieldType => {
  // sums and averages apply only to types that have sums
  const { sum = 'float' } = fieldTypes[type];
  switch (records[operation].computes) {
    case 'count':
      return 'integer';
    case 'sum':
      return sum;
    case 'avg':
      return sum === 'float' ? sum : 'decimal';
    default:
      return type;
  }
};

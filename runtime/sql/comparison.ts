/** Compiles comparisons of a column with operands. */
import type { Field } from '../../contract/collection.js';
import type { Comparison, Condition } from '../plan/types.js';
import type { Match, SqlDialect } from '../databases/contract.js';
import { sql, type Sql } from './fragment.js';
import {
  listParameter,
  matchParameter,
  searchParameter,
  valueParameter,
  type Rounding,
} from './parameters.js';

/** Converts a column to text where the dialect requires it for comparisons. */
export const toText = (column: Sql, field: Field, dialect: SqlDialect): Sql => {
  const [before, after] = dialect.asText?.(field) ?? ['', ''];
  return sql`${before}${column}${after}`;
};

const symbols = { eq: '=', neq: '<>', lt: '<', lte: '<=', gt: '>', gte: '>=' } as const;

const roundings: Readonly<Partial<Record<Comparison, Rounding>>> = {
  lt: 'up',
  gte: 'up',
  lte: 'down',
  gt: 'down',
};

type Compare = Extract<Condition, { kind: 'compare' }>;

/**
 * Compiles a comparison to an SQL condition.
 * @param column the compiled column of the condition
 */
export const compileComparison = (condition: Compare, column: Sql, dialect: SqlDialect): Sql => {
  const { operator, operand } = condition;
  const { field } = condition.column;
  const left = toText(column, field, dialect);
  switch (operator) {
    case 'in':
    case 'nin':
      return sql`${left} ${operator === 'in' ? 'in' : 'not in'} (${listParameter(dialect, field, operand)})`;
    case 'between':
    case 'nbetween': {
      const low = valueParameter(dialect, field, { operand, bound: 0, rounding: 'up' });
      const high = valueParameter(dialect, field, { operand, bound: 1, rounding: 'down' });
      return sql`${left} ${operator === 'between' ? 'between' : 'not between'} ${low} and ${high}`;
    }
    case 'contains':
    case 'icontains':
    case 'startsWith':
    case 'istartsWith':
    case 'endsWith':
    case 'iendsWith':
      return compileMatch(operator, { field, operand, column }, dialect);
    case 'searched':
      return sql`${left} = ${searchParameter(dialect, field, operand)}`;
    default:
      return sql`${left} ${symbols[operator]} ${valueParameter(dialect, field, { operand, rounding: roundings[operator] ?? 'none' })}`;
  }
};

const compileMatch = (
  kind: Match,
  { field, operand, column }: Pick<Compare, 'operand'> & { readonly field: Field; readonly column: Sql },
  dialect: SqlDialect,
): Sql => {
  const [before, between, after] = dialect.match(kind, field);
  return sql`${before}${column}${between}${matchParameter(dialect, kind, { field, operand })}${after}`;
};

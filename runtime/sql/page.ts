/** Compiles LIMIT and OFFSET. */
import { invalidQuery } from '../../contract/errors.js';
import type { Limit, Operand, ReadPlan } from '../plan/types.js';
import type { SqlDialect } from '../databases/contract.js';
import { paddedLength, sql, type BindInput, type Parameter, type Sql } from './fragment.js';
import { readOperand } from './parameters.js';

/** Limits of the rows of a response. */
export interface Limits {
  /** Rows of a list where the request has no limit. */
  readonly fallback: number;
  /** `null`: no maximum. */
  readonly maximum: number | null;
  /** Maximum number of rows of all nested lists of one request; `null`: no maximum. */
  readonly nestedRows: number | null;
}

/** The dialect and limits that reads are compiled for. */
export interface ReadOptions {
  readonly dialect: SqlDialect;
  readonly limits: Limits;
}

/** A limit larger than any table, for databases that require a number after LIMIT. */
export const unlimited = 9_007_199_254_740_991;

/**
 * Returns LIMIT and OFFSET, with the configured default and maximum applied. A page with a cursor reads one
 * row more.
 */
export const compilePage = (
  plan: Pick<ReadPlan, 'limit' | 'offset' | 'page' | 'cursor'>,
  { limits, dialect }: ReadOptions,
): Sql => {
  // one row more shows whether there is a next page
  const more = plan.cursor === undefined ? 0 : 1;
  const isUnpaged = plan.offset === null && plan.page === null;
  if (isUnpaged && (plan.limit === 'unlimited' || (plan.limit === 'all' && limits.maximum === null)))
    return [];
  const limit = limitParameter(dialect, (input) =>
    Math.min(unlimited, readLimit(plan.limit, input, limits) + more),
  );
  if (isUnpaged) return sql` limit ${limit}`;
  return sql` limit ${limit} offset ${numberParameter((input) => readOffset(plan, input, limits))}`;
};

/** Builds a parameter bound as a bigint: LIMIT rejects doubles, as which numbers are bound. */
const numberParameter = (read: (input: BindInput) => number): Parameter => ({
  placeholder: '?',
  list: false,
  read: (input) => BigInt(read(input)),
});

const limitParameter = (
  { limitInText = false }: SqlDialect,
  read: (input: BindInput) => number,
): Parameter => ({
  ...numberParameter(read),
  inText: limitInText,
});

/** Reads the limit of a request. @throws INVALID_QUERY above the maximum */
export const readLimit = (limit: Limit, input: BindInput, { fallback, maximum }: Limits): number => {
  if (limit === 'unlimited') return unlimited;
  if (limit === 'all') return maximum ?? unlimited;
  if (limit === 'default') return maximum === null ? fallback : Math.min(fallback, maximum);
  const requested = readOperand(limit, input) as number;
  if (maximum !== null && requested > maximum) throw invalidQuery(`"limit" may be ${maximum} at most`);
  return requested;
};

/** Reads the offset of a request. `page` starts at 1 and takes precedence over `offset`. */
export const readOffset = (
  { limit, offset, page }: Pick<ReadPlan, 'limit' | 'offset' | 'page'>,
  input: BindInput,
  limits: Limits,
): number => {
  const number = (operand: Operand | null): number =>
    operand === null ? 0 : (readOperand(operand, input) as number);
  if (page === null) return number(offset);
  return Math.min(unlimited, Math.max(0, number(page) - 1) * readLimit(limit, input, limits));
};

/** Returns the LIMIT that `maxRows` of the input requires; padded, as the number may be part of the text. */
export const compileMaxRows = (dialect: SqlDialect): Sql =>
  sql` limit ${limitParameter(dialect, ({ maxRows = unlimited }) => Math.min(unlimited, paddedLength(maxRows)))}`;

/** Filter operators, by what they compare. */
import type { CollectionName, Filter } from './names.js';

/** Whether there is a value. */
interface Nullness {
  _null?: boolean;
  _nnull?: boolean;
}

/** Whether there is a value, the empty text being none. */
interface Emptiness extends Nullness {
  _empty?: boolean;
  _nempty?: boolean;
}

interface Equality<Value> extends Nullness {
  _eq?: Value | null;
  _neq?: Value | null;
  _in?: readonly Value[];
  _nin?: readonly Value[];
}

interface Order<Value> {
  _lt?: Value;
  _lte?: Value;
  _gt?: Value;
  _gte?: Value;
  /** From the first to the second, both included. */
  _between?: readonly [low: Value, high: Value];
  _nbetween?: readonly [low: Value, high: Value];
}

/** `n` negates; `i` counts capital and small letters as one. `%` and `_` are plain characters. */
interface Matching {
  _contains?: string;
  _ncontains?: string;
  _icontains?: string;
  _nicontains?: string;
  _starts_with?: string;
  _nstarts_with?: string;
  _istarts_with?: string;
  _nistarts_with?: string;
  _ends_with?: string;
  _nends_with?: string;
  _iends_with?: string;
  _niends_with?: string;
}

export interface TextFilter extends Equality<string>, Matching, Emptiness {}

export interface NumberFilter extends Equality<number>, Order<number> {}

/** Integers of 64 bits and decimals: digits in a string, compared as numbers. */
export interface DigitsFilter extends Equality<string>, Order<string> {}

/** Texts in the form the field has, or variables such as `$NOW`. */
export interface DateFilter extends Equality<string>, Order<string> {}

/** Ids, or variables such as `$CURRENT_USER`. */
export interface KeyFilter extends Equality<string> {}

export interface BooleanFilter extends Nullness {
  _eq?: boolean | null;
  _neq?: boolean | null;
}

/** JSON can only be there or not. */
export interface NullFilter extends Nullness {}

/** Concealed values can only be there or not. */
export interface ConcealedFilter extends Emptiness {}

/** A list of related items: a filter some of them pass (`_some` may be left out), or none. */
export type ManyFilter<Name extends CollectionName> = Filter<Name> | Quantified<Name>;

export interface Quantified<Name extends CollectionName> extends Nullness {
  /** At least one related item passes. */
  _some?: Filter<Name>;
  /** No related item passes. */
  _none?: Filter<Name>;
}

export interface Logic<Itself> {
  _and?: readonly Itself[];
  _or?: readonly Itself[];
}

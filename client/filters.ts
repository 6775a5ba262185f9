/** Types of filters, by the type of the field. */
import type { BareKey, CollectionName, Filter } from './names.js';

/** Compares with null. */
interface Nullness {
  _null?: boolean;
  _nnull?: boolean;
}

/** Compares with null or the empty string. */
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
  /** Range, inclusive at both ends. */
  _between?: readonly [low: Value, high: Value];
  _nbetween?: readonly [low: Value, high: Value];
}

/** `n` negates; `i` ignores case. `%` and `_` are literal characters. */
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

/** `Value`: the values of an enum. */
export interface TextFilter<Value extends string = string> extends Equality<Value>, Matching, Emptiness {}

export interface NumberFilter extends Equality<number>, Order<number> {}

/** 64-bit integers and decimals: digits in a string, compared as numbers. */
export interface DigitsFilter extends Equality<string>, Order<string> {}

/** Strings in the format of the field, or variables such as `$NOW`. */
export interface DateFilter extends Equality<string>, Order<string> {
  /** Exists only in the type: sets dates and times apart from numbers that are digits. */
  readonly __dateType?: never;
}

/** Ids, or variables such as `$CURRENT_USER`. */
export interface KeyFilter extends Equality<string> {}

export interface BooleanFilter extends Nullness {
  _eq?: boolean | null;
  _neq?: boolean | null;
}

/** Values of types that svc does not know can only be compared with null. */
export interface NullFilter extends Nullness {}

/** JSON is compared with null, or by the values in it. */
export interface JsonFilter extends Nullness {
  _json?: PathFilters;
}

/** Conditions by path, such as `theme.colors[0]`; all of them hold. */
export interface PathFilters extends Logic<PathFilters> {
  [path: string]: PathFilter | JsonScalar | null | readonly PathFilters[] | undefined;
}

/** A value in JSON that is neither an object nor a list. */
export type JsonScalar = string | number | boolean;

/** A value in JSON may be of any type: numbers are compared with numbers, and texts with texts. */
export interface PathFilter extends Equality<JsonScalar>, Order<string | number>, Matching, Emptiness {}

/** Concealed values can only be compared with null and the empty string. */
export interface ConcealedFilter extends Emptiness {}

/**
 * Filters by a list of related items: at least one matches (`_some`, which may be omitted), or none does. A comparison of
 * the list itself is one of the keys of its items.
 */
export type ManyFilter<Name extends CollectionName> = Filter<Name> | Quantified<Name>;

export interface Quantified<Name extends CollectionName> extends Equality<BareKey<Name>> {
  /** Matches where at least one related item does. */
  _some?: Filter<Name>;
  /** No related item matches. */
  _none?: Filter<Name>;
}

export interface Logic<Itself> {
  _and?: readonly Itself[];
  _or?: readonly Itself[];
}

/** Types of aggregations: counts, sums and groups in place of items. */
import type { OneName } from './fields.js';
import type { DigitsFilter, Logic, NumberFilter, PathFilter } from './filters.js';
import type { Call, CallValue, ResultKey } from './functions.js';
import type { CollectionName, Filter, Item } from './names.js';
import type { Choice } from './queries.js';

type Column<Name extends CollectionName> = keyof Item<Name> & string;

/** A field, a function of one such as `year(InvoiceDate)`, or a path over relations to one item. */
export type Operand<Name extends CollectionName> = Column<Name> | Call<Name> | `${OneName<Name>}.${string}`;

/** Numbers, and numbers as digits: what has an order, which texts lack, and is no date or time. */
type NumberColumn<Name extends CollectionName> = {
  [Key in Column<Name>]: NonNullable<Item<Name>[Key]> extends number
    ? Key
    : Key extends keyof Filter<Name>
      ? NonNullable<Item<Name>[Key]> extends string
        ? IsDigits<keyof NonNullable<Filter<Name>[Key]>> extends true
          ? Key
          : never
        : never
      : never;
}[Column<Name>];

type IsDigits<Key> = '_gt' extends Key ? ('__dateType' extends Key ? false : true) : false;

type NumberOperand<Name extends CollectionName> = NumberColumn<Name> | Exclude<Operand<Name>, Column<Name>>;

/** Operations and what they apply to; `*` stands for the items. */
export interface Measures<Name extends CollectionName> {
  readonly count?: readonly ('*' | Operand<Name>)[];
  readonly countAll?: readonly ['*'];
  readonly countDistinct?: readonly Operand<Name>[];
  readonly sum?: readonly NumberOperand<Name>[];
  readonly sumDistinct?: readonly NumberOperand<Name>[];
  readonly avg?: readonly NumberOperand<Name>[];
  readonly avgDistinct?: readonly NumberOperand<Name>[];
  readonly min?: readonly Operand<Name>[];
  readonly max?: readonly Operand<Name>[];
}

/** Query of an aggregation. */
export interface AggregateQuery<
  Name extends CollectionName,
  Requested extends Measures<Name>,
  Groups extends readonly Operand<Name>[],
> extends Choice<Name> {
  aggregate?: Requested & Known<Requested, keyof Measures<Name>>;
  /** One row for each combination of values; without it, one row in all. */
  groupBy?: Groups | undefined;
  /** Filter of the rows, with their keys: `{ count: { _gt: 5 } }`. */
  having?: Having<Name, Groups> | undefined;
  /** Groups and operations: `-count`, `sum.Total`. */
  sort?: readonly AggregateSort<Name, NoInfer<Groups[number]>>[] | undefined;
  /** IANA name of the zone in which functions read timestamps. */
  timezone?: string | undefined;
}

/** Conditions on the groups of a row and on operations, whether `aggregate` has them or not; all of them hold. */
export type Having<Name extends CollectionName, Groups extends readonly string[]> = {
  readonly [Operation in keyof Measures<Name>]?: Operation extends 'count' | 'countAll'
    ? CountFilter | MeasureFilters<Name, Operation>
    : MeasureFilters<Name, Operation>;
} & { readonly [Group in Groups[number] as ResultKey<Group>]?: GroupFilter<Name, Group> } & Logic<
    Having<Name, Groups>
  >;

type CountFilter = NumberFilter | number;

type MeasureFilters<Name extends CollectionName, Operation> = {
  readonly [Of in '*' | Operand<Name> as ResultKey<Of>]?: Operation extends `count${string}`
    ? CountFilter
    : Operation extends 'min' | 'max'
      ? GroupFilter<Name, Of>
      : NumberFilter | DigitsFilter | number | string;
};

/** The conditions of a field, of a function, or of anything at the end of a path. */
type GroupFilter<Name extends CollectionName, Group> = Group extends keyof Filter<Name>
  ? Filter<Name>[Group] | Item<Name>[Group & keyof Item<Name>]
  : PathFilter | number | string | boolean | null;

type AggregateSort<Name extends CollectionName, Group extends string> =
  | `${'' | '-'}${'count' | 'countAll' | Group}`
  | `${'' | '-'}${keyof Measures<Name>}.${Operand<Name>}`;

/** Refuses other keys. */
type Known<Given, Key> = { readonly [Other in Exclude<keyof Given, Key>]: never };

/** A row of an aggregation: the values of its group, and an object for each operation. */
export type AggregateRow<Name extends CollectionName, Requested, Groups extends readonly string[]> = {
  [Group in Groups[number] as ResultKey<Group>]: GroupValue<Name, Group>;
} & {
  -readonly [Operation in keyof Requested]: Requested[Operation] extends readonly ['*']
    ? number
    : Requested[Operation] extends readonly (infer Of extends string)[]
      ? { [Key in Of as ResultKey<Key>]: MeasureValue<Name, Operation, Key> }
      : never;
};

type GroupValue<Name extends CollectionName, Group> = Group extends keyof Item<Name>
  ? Item<Name>[Group]
  : Group extends Call<Name>
    ? CallValue<Name, Group>
    : unknown;

/** Sums and averages of integers and decimals are digits, those of floats numbers. */
type MeasureValue<Name extends CollectionName, Operation, Of> = Operation extends 'count' | 'countDistinct'
  ? number
  : Operation extends 'min' | 'max'
    ? GroupValue<Name, Of> | null
    : Of extends keyof Item<Name>
      ? NonNullable<Item<Name>[Of]> extends string
        ? string | null
        : string | number | null
      : string | number | null;

/** Types that generated collections are composed of. */
import type { ColumnName, Field } from './fields.js';
import type { Call } from './functions.js';
import type { CollectionName } from './names.js';
import type { Deep } from './queries.js';
import type { NearSortKey, SortKey } from './sort.js';

export type { BareKey, Filter, Item } from './names.js';
export type { Any, AnyFilter } from './any.js';
export type * from './filters.js';
export type { Geometry } from './geometry.js';
export type * from './functions.js';
export type { WrittenList, WrittenOne } from './lists.js';

/** A relation to one item. */
export interface One<Name extends CollectionName> {
  readonly to: Name;
  readonly list: false;
}

/** A relation to a list of items. */
export interface Many<Name extends CollectionName> {
  readonly to: Name;
  readonly list: true;
}

/** The input of an update: the fields of a create input, all optional, without the key. */
export type Update<Create, KeyField extends PropertyKey> = Partial<Omit<Create, KeyField>>;

/** Functions of fields, where no field has any. */
export type NoFunctions = Record<never, never>;

export type NoRelations = Record<never, never>;

/** The type of an inherited property that has the name of a column. */
export type Inherited<Name extends keyof typeof Object.prototype> = (typeof Object.prototype)[Name];

/** Types derived from columns and relations, computed once per collection on first use. */
interface Derived<Name extends CollectionName> {
  columnName: ColumnName<Name>;
  call: Call<Name>;
  field: Field<Name>;
  sortKey: SortKey<Name>;
  nearSortKey: NearSortKey<Name>;
  deep: Deep<Name>;
  any: NoRelations;
}

/** A collection whose items have keys. */
export interface Table<Name extends CollectionName> extends Derived<Name> {
  kind: 'table';
}

/** A collection that is a single item. */
export interface Singleton<Name extends CollectionName> extends Derived<Name> {
  kind: 'singleton';
}

/** A collection that can only be listed: a view, or a table without a key. */
export interface View<Name extends CollectionName> extends Derived<Name> {
  kind: 'view';
  key: never;
  keyFields: never;
  create: never;
  update: never;
}

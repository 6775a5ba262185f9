/** What generated collections are made of. */
import type { CollectionName } from './names.js';

export type { BareKey, Filter, Item } from './names.js';
export type * from './filters.js';

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

/** What makes an item may change it, but for its key. */
export type Update<Create, KeyField extends PropertyKey> = Partial<Omit<Create, KeyField>>;

export type NoRelations = Record<never, never>;

/** What the compiler finds on every object under a name, where a column that is called so is left out. */
export type Inherited<Name extends keyof typeof Object.prototype> = (typeof Object.prototype)[Name];

/** A collection that can only be listed: a view, or a table without a key. */
export interface View {
  kind: 'view';
  key: never;
  keyFields: never;
  create: never;
  update: never;
}

/** Lists that are written through their owner. */
import type { BareKey, CollectionName, CreateInput } from './names.js';
import type { ChangedItem } from './queries.js';

/**
 * The whole list: keys and items with their keys stay, items without one are new, all others are let go. Or what
 * changes of it.
 */
export type WrittenList<Name extends CollectionName, OwnerField extends PropertyKey> =
  | readonly (BareKey<Name> | NewItem<Name, OwnerField> | ChangedItem<Name>)[]
  | ListChange<Name, OwnerField>
  | null;

interface ListChange<Name extends CollectionName, OwnerField extends PropertyKey> {
  create?: readonly NewItem<Name, OwnerField>[];
  update?: readonly ChangedItem<Name>[];
  delete?: readonly BareKey<Name>[];
}

/** What makes an item, but for what names its owner. */
type NewItem<Name extends CollectionName, OwnerField extends PropertyKey> = Omit<
  CreateInput<Name>,
  OwnerField
> &
  Partial<Pick<CreateInput<Name>, OwnerField & keyof CreateInput<Name>>>;

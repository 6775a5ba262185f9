/** Types of related items that are written with their owner. */
import type { BareKey, CollectionName, CreateInput } from './names.js';
import type { ChangedItem } from './queries.js';

/** The item that a key refers to: an object without the key creates one, an object with the key changes it. */
export type WrittenOne<Name extends CollectionName> = Name extends CollectionName
  ? CreateInput<Name> | ChangedItem<Name>
  : never;

/**
 * The whole list, where keys and items with keys are kept, items without a key are created and all others are removed;
 * or only the changes.
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

/** The input of a new item; the field that refers to the owner is optional. */
type NewItem<Name extends CollectionName, OwnerField extends PropertyKey> = Omit<
  CreateInput<Name>,
  OwnerField
> &
  Partial<Pick<CreateInput<Name>, OwnerField & keyof CreateInput<Name>>>;

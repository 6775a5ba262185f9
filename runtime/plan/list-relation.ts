/** What becomes of rows that leave a list: deleted, or without an owner. */
import type { Field, ToMany } from '../../contract/collection.js';

/** The foreign key of the list's rows. */
export const foreignKey = ({ collection, fields }: ToMany): readonly Field[] =>
  fields.flatMap((name) => collection.fields.get(name) ?? []);

export const isKeyPart = ({ collection }: ToMany, name: string): boolean =>
  collection.key.some((field) => field.name === name);

/** What is set to null where a row is let go: one null ends the relation, and others may hold on to the rest. */
export const releasable = (relation: ToMany): readonly Field[] =>
  foreignKey(relation).filter(
    ({ name, nullable, generated }) => nullable === true && generated !== true && !isKeyPart(relation, name),
  );

/** Whether rows that leave the list are deleted: where the relation says so, or their key is of their owner. */
export const isOwned = (relation: ToMany): boolean =>
  relation.deselect === 'delete' ||
  (releasable(relation).length === 0 && relation.fields.some((name) => isKeyPart(relation, name)));

/** Finds the foreign key of the rows of a list, and whether rows that leave the list are deleted or kept without an owner. */
import type { Field, ToMany } from '../../contract/collection.js';

/** Returns the foreign key of the list's rows. */
export const foreignKey = ({ collection, fields }: ToMany): readonly Field[] =>
  fields.flatMap((name) => collection.fields.get(name) ?? []);

/** Returns whether a field of the list's rows is part of their key. */
export const isKeyPart = ({ collection }: ToMany, name: string): boolean =>
  collection.key.some((field) => field.name === name);

/**
 * Returns the fields to set to null to release a row: one null ends the relation, and the others may be part
 * of other relations.
 */
export const releasableFields = (relation: ToMany): readonly Field[] =>
  foreignKey(relation).filter(
    ({ name, nullable, generated }) => nullable === true && generated !== true && !isKeyPart(relation, name),
  );

/**
 * Returns whether rows that leave the list are deleted: the relation says so, or their key contains the
 * owner's.
 */
export const isDeletedOnRemoval = (relation: ToMany): boolean =>
  relation.deselect === 'delete' ||
  (releasableFields(relation).length === 0 && relation.fields.some((name) => isKeyPart(relation, name)));

/** Compares sets of fields with tuples of values. */
import type { Field } from '../../contract/collection.js';
import type { Scalar } from '../plan/parsed-value.js';
import type { BindValue, SqlDialect } from '../databases/contract.js';
import { placeholderOf, type RenderedStatement } from './fragment.js';
import { placeholdersOf } from './parameters.js';

/** A set of fields, and the tuples of values to compare them with. */
export interface TupleFilter {
  readonly fields: readonly Field[];
  readonly tuples: readonly (readonly Scalar[])[];
  readonly dialect: SqlDialect;
}

/** Compiles the condition that the fields have one of the tuples. */
export const compileTuples = ({ fields, tuples, dialect }: TupleFilter): RenderedStatement => {
  const names = fields.map((field) => dialect.quote(field.name));
  const bound = tuples.map((parts) =>
    fields.map((field, index) => bindValue(field, parts[index] ?? null, dialect)),
  );
  const placeholders = fields.map((field, index) =>
    placeholderOf(
      placeholdersOf(dialect, field),
      bound.map((parts) => parts[index] ?? null),
    ),
  );
  const values = bound.flat();
  if (tuples.length === 1) {
    return {
      text: names.map((name, index) => `${name} = ${placeholders[index] ?? '?'}`).join(' and '),
      values,
    };
  }
  const row = names.length === 1 ? (placeholders[0] ?? '?') : `(${placeholders.join(', ')})`;
  const list = tuples.map(() => row).join(', ');
  return { text: `${names.length === 1 ? (names[0] ?? '') : `(${names.join(', ')})`} in (${list})`, values };
};

/** Converts a value to the form in which the driver binds it for this field. */
export const bindValue = (field: Field, value: Scalar | null, dialect: SqlDialect): BindValue =>
  value === null ? null : dialect.bind(field, value);

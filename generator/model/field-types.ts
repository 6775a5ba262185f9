/** Maps column types and specials to field types. */
import { fieldTypes } from '../../contract/field-types.js';
import type { Column, ColumnType } from '../introspection/catalog.js';
import type { ColumnSpec } from '../spec/types.js';
import type { Field, FieldType } from './types.js';

/** Properties of a field that follow from its type. */
export type TypeFacts = Pick<
  Field,
  | 'type'
  | 'length'
  | 'precision'
  | 'scale'
  | 'bits'
  | 'unsigned'
  | 'fraction'
  | 'values'
  | 'geometry'
  | 'element'
>;

const plain = (type: FieldType): TypeFacts => ({
  type,
  length: null,
  precision: null,
  scale: null,
  bits: null,
  unsigned: false,
  fraction: null,
  values: null,
  geometry: null,
  element: null,
});

/**
 * Returns the type of a column as declared: the field type of the same name with the same properties, and others for the cases
 * below. 32 unsigned bits fit a JSON number, 64 bits do not.
 */
export const columnToFacts = (type: ColumnType): TypeFacts => {
  switch (type.kind) {
    case 'integer': {
      const { bits, signed } = type;
      return { ...plain(bits === 64 ? 'bigInteger' : 'integer'), bits, unsigned: !signed };
    }
    case 'enum':
      return { ...plain('string'), values: type.values };
    case 'set':
      return plain('csv');
    case 'json':
      return { ...plain('json'), element: type.element === undefined ? null : columnToFacts(type.element) };
    default: {
      const { kind, ...facts } = type;
      return { ...plain(kind), ...facts };
    }
  }
};

/** Returns the type that the spec declares for a column of a system table, however it is stored. */
export const systemFacts = ({ type, length }: ColumnSpec, column: Column): TypeFacts => {
  const declared = columnToFacts(column.type);
  switch (type) {
    case 'integer':
      return { ...plain(type), bits: 32 };
    case 'bigInteger':
      return { ...plain(type), bits: 64 };
    case 'timestamp':
      return { ...plain(type), fraction: declared.fraction ?? 0 };
    case 'string':
    case 'text':
    case 'csv':
      return { ...plain(type), length: length ?? declared.length };
    case 'uuid':
    case 'boolean':
    case 'json':
      return plain(type);
  }
};

const texts: readonly ColumnType['kind'][] = ['string', 'text', 'unknown'];

/** Type and compatible columns of each special in the meta. */
const casts: ReadonlyMap<
  string,
  { readonly type: FieldType; readonly holds: readonly ColumnType['kind'][] }
> = new Map([
  ['cast-json', { type: 'json', holds: [...texts, 'json'] }],
  ['cast-boolean', { type: 'boolean', holds: [...texts, 'boolean', 'integer', 'decimal'] }],
  ['cast-csv', { type: 'csv', holds: [...texts, 'set'] }],
  ['cast-timestamp', { type: 'timestamp', holds: [...texts, 'dateTime', 'timestamp'] }],
  ['uuid', { type: 'uuid', holds: [...texts, 'uuid'] }],
]);

/** Finds the special that changes the type, and whether the column supports it. */
export const findCast = (
  specials: readonly string[],
  { type }: Column,
): { readonly special: string; readonly fits: boolean } | null => {
  const special = specials.find((candidate) => casts.has(candidate));
  if (special === undefined) return null;
  return { special, fits: casts.get(special)?.holds.includes(type.kind) ?? false };
};

/** Returns the type of a column under a compatible special. */
export const castFacts = (special: string, { type }: Column): TypeFacts => {
  const declared = columnToFacts(type);
  const cast = casts.get(special)?.type ?? declared.type;
  if (cast === declared.type) return declared;
  if (cast === 'timestamp') return { ...plain(cast), fraction: declared.fraction ?? 0 };
  return cast === 'csv' ? { ...plain(cast), length: declared.length } : plain(cast);
};

interface KeyReferences {
  /** False for a column without a type, which stores any value as given. */
  readonly isDeclared: boolean;
  /** Types of the columns it references. */
  readonly ends: readonly TypeFacts[];
}

/**
 * Returns the type of a key: a text that references a uuid, or a column without a type, takes its target's
 * type.
 */
export const keyFacts = (own: TypeFacts, { isDeclared, ends }: KeyReferences): TypeFacts => {
  const [end, ...more] = ends;
  if (own.type === 'unknown') return end === undefined || more.length > 0 || isDeclared ? own : end;
  return fieldTypes[own.type].isText === true && ends.some(({ type }) => type === 'uuid')
    ? plain('uuid')
    : own;
};

/** Returns a literal default in its JSON form, or null where that is not a plain value. */
export const defaultToWire = (text: string, facts: TypeFacts): string | number | boolean | null =>
  fieldTypes[facts.type].readDefault?.(text, facts) ?? null;

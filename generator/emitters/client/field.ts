/** Returns the TypeScript types of a field: read, written and filtered. */
import { fieldTypes } from '../../../contract/field-types.js';
import type { Collection, Field } from '../../model/types.js';
import { arrayType, generic, pair, union, type Code } from '../../print/code.js';
import { str, typeKey } from '../../print/typescript.js';

/** Prints a member such as `Title: string` or `Composer?: string | null`. */
export const member = (name: string, type: Code, { optional = false } = {}): Code =>
  pair(
    `${typeKey(name)}${optional ? '?' : ''}:`,
    optional && isInherited(name) ? orInherited(name, type) : type,
  );

/**
 * Members that every object inherits. Where an optional column of that name is absent, TypeScript checks
 * these instead.
 */
const everyObject: ReadonlySet<string> = new Set([
  'constructor',
  'hasOwnProperty',
  'isPrototypeOf',
  'propertyIsEnumerable',
  'toLocaleString',
  'toString',
  'valueOf',
]);

/**
 * Returns whether every object has a member of this name, such as `constructor`, so that types have to allow
 * for it.
 */
export const isInherited = (name: string): boolean => everyObject.has(name);

const orInherited = (name: string, type: Code): Code => {
  return union([...membersOf(type), `svc.Inherited<${str(name)}>`]);
};

/**
 * Returns the type of a field when read. A singleton without a row returns null for fields without a default.
 */
export const readType = (field: Field, { singleton }: Pick<Collection, 'singleton'>): Code => {
  const isHidden = field.conceal || field.hash;
  const isNullable = field.nullable || (singleton && field.defaultValue === null);
  return orNull(isHidden ? 'string' : valueType(field), isNullable);
};

/**
 * Returns the type of a field in payloads; `item` is the type of the item that a key refers to. A hashed field takes the text to
 * hash, whatever it returns when read.
 */
export const writeType = (field: Field, item?: Code): Code => {
  const value = field.hash ? 'string' : valueType(field);
  return orNull(item === undefined ? value : union([...membersOf(value), item]), field.nullable);
};

const membersOf = (type: Code): readonly Code[] =>
  typeof type === 'object' && type.kind === 'union' && !type.list ? type.items : [type];

/** Returns the type of a non-null value. An array is typed with one dimension and without null elements. */
export const valueType = (field: Field): Code => {
  const values = valuesOf(field);
  if (values !== null) return union(values);
  return field.element === null
    ? fieldTypes[field.type].typescript
    : arrayType(fieldTypes[field.element.type].typescript);
};

/** Returns the values of an enum as literal types; null for other fields. */
const valuesOf = ({ type, values }: Field): Code[] | null =>
  values === null || fieldTypes[type].isText !== true ? null : values.map(str);

const orNull = (type: Code, isNullable: boolean): Code => {
  if (!isNullable || type === 'unknown') return type;
  return union([...membersOf(type), 'null']);
};

/**
 * Returns the type of a field in filters: an enum compares with its values only, and of a concealed field
 * only whether it has a value.
 */
export const filterType = (field: Field): Code => {
  if (field.conceal || field.hash) return 'svc.ConcealedFilter';
  const name = `svc.${fieldTypes[field.type].filter.typescript}`;
  const values = valuesOf(field);
  return values === null ? name : generic(name, [union(values)]);
};

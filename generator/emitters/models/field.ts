/** Prints one line of a field table: `Title: svc.string({ length: 160, required: true })`. */
import type { Field, FieldElement, Model } from '../../model/types.js';
import { array, call, object, pair, type Code } from '../../print/code.js';
import { objectKey, str } from '../../print/typescript.js';
import { printValue } from '../../print/value.js';

interface Context {
  readonly keysBeforeInsert: Model['keysBeforeInsert'];
  /** True where the collection is a singleton, which returns defaults while its table is empty. */
  readonly singleton: boolean;
}

/**
 * Prints a field of a model.
 * @param constructor the constructor of the field's type, as the file imports it
 */
export const printField = (field: Field, constructor: string, context: Context): Code =>
  pair(`${objectKey(field.name)}:`, call(constructor, printOptions(field, context)));

const printOptions = (field: Field, { keysBeforeInsert, singleton }: Context): Code[] => {
  const isComputedKey = keysBeforeInsert && field.primaryKey && !field.autoIncrement;
  const options = [
    ...printShape(field),
    flag('nullable', field.nullable),
    flag('required', field.required),
    flag('auto', field.autoIncrement),
    flag('generated', field.generated),
    (singleton || isComputedKey) && field.defaultValue !== null
      ? pair('default:', printValue(field.defaultValue))
      : null,
    isComputedKey ? text('keyDefault', standalone(field.defaultSql)) : null,
    ...printRules(field),
    text('dbType', field.sqlType),
    text('collation', field.collation),
    field.element === null ? null : pair('element:', printElement(field.element)),
  ].filter((option) => option !== null);
  return options.length === 0 ? [] : [object(options)];
};

/**
 * Returns a default expression that can be evaluated without a row, or null where it refers to columns, which
 * are in backticks.
 */
const standalone = (sql: string | null): string | null => (sql?.includes('`') === true ? null : sql);

/** Prints the properties of the type that differ from the runtime's defaults. */
const printShape = (field: FieldElement): (Code | null)[] => [
  number('length', field.length),
  number('precision', field.precision),
  number('scale', field.scale),
  number('bits', field.type === 'integer' && field.bits !== 32 ? field.bits : null),
  flag('unsigned', field.unsigned),
  number('fraction', field.fraction === 0 ? null : field.fraction),
  field.values === null ? null : pair('values:', array(field.values.map(str))),
  field.geometry === null ? null : pair('geometry:', printValue(field.geometry)),
];

const printElement = (element: FieldElement): Code =>
  object([pair('type:', str(element.type)), ...printShape(element).filter((option) => option !== null)]);

const printRules = (field: Field): (Code | null)[] => [
  flag('readonly', field.readonly),
  flag('conceal', field.conceal),
  flag('hash', field.hash),
  flag('token', field.token),
  flag('lowerCase', field.lowerCase),
  text('fill', field.fill),
  field.validation === null ? null : pair('validation:', printValue(field.validation)),
  text('validationMessage', field.validationMessage),
  text('validationType', field.validationType),
];

const flag = (name: string, value: boolean): Code | null => (value ? pair(`${name}:`, 'true') : null);

const number = (name: string, value: number | null): Code | null =>
  value === null ? null : pair(`${name}:`, String(value));

const text = (name: string, value: string | null): Code | null =>
  value === null ? null : pair(`${name}:`, str(value));

/** One line of a field table: `Title: svc.string({ length: 160, required: true })`. */
import { traitsOf } from '../../introspection/index.js';
import type { Field, Model } from '../../model/types.js';
import { array, call, object, pair, type Code } from '../../print/code.js';
import { objectKey, str } from '../../print/typescript.js';
import { printValue } from '../../print/value.js';

interface Context {
  readonly dialect: Model['dialect'];
  /** The collection is one: while its table is empty it answers its defaults. */
  readonly singleton: boolean;
}

/** @param constructor how the file at hand calls the constructor of the field's type */
export const printField = (field: Field, constructor: string, context: Context): Code =>
  pair(`${objectKey(field.name)}:`, call(constructor, printOptions(field, context)));

const printOptions = (field: Field, { dialect, singleton }: Context): Code[] => {
  const { keysBeforeInsert, nameType } = traitsOf(dialect);
  const isKeyToMake = keysBeforeInsert && field.primaryKey && !field.autoIncrement;
  const options = [
    ...printShape(field),
    flag('nullable', field.nullable),
    flag('required', field.required),
    flag('auto', field.autoIncrement),
    flag('generated', field.generated),
    (singleton || isKeyToMake) && field.defaultValue !== null
      ? pair('default:', printValue(field.defaultValue))
      : null,
    isKeyToMake ? text('keyDefault', standalone(field.defaultSql)) : null,
    ...printRules(field),
    text('dbType', field.type === 'unknown' ? field.dbType : nameType(field)),
    text('collation', field.collation),
  ].filter((option) => option !== null);
  return options.length === 0 ? [] : [object(options)];
};

/** What can be asked for without a row: names of columns stand in backticks. */
const standalone = (sql: string | null): string | null => (sql?.includes('`') === true ? null : sql);

/** What the type alone leaves open; the runtime's defaults are left out. */
const printShape = (field: Field): (Code | null)[] => [
  number('length', field.length),
  number('precision', field.precision),
  number('scale', field.scale),
  number('bits', field.type === 'integer' && field.bits !== 32 ? field.bits : null),
  flag('unsigned', field.unsigned),
  number('fraction', field.fraction === 0 ? null : field.fraction),
  field.values === null ? null : pair('values:', array(field.values.map(str))),
];

const printRules = (field: Field): (Code | null)[] => [
  flag('readonly', field.readonly),
  flag('conceal', field.conceal),
  flag('hash', field.hash),
  flag('lowerCase', field.lowerCase),
  text('fill', field.fill),
  field.validation === null ? null : pair('validation:', printValue(field.validation)),
  text('validationMessage', field.validationMessage),
];

const flag = (name: string, value: boolean): Code | null => (value ? pair(`${name}:`, 'true') : null);

const number = (name: string, value: number | null): Code | null =>
  value === null ? null : pair(`${name}:`, String(value));

const text = (name: string, value: string | null): Code | null =>
  value === null ? null : pair(`${name}:`, str(value));

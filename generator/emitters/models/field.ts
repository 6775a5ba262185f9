/** One line of a field table: `Title: svc.string({ length: 160, required: true })`. */
import type { Field, Model } from '../../model/types.js';
import { array, call, object, pair, type Code } from '../../print/code.js';
import { objectKey, str } from '../../print/typescript.js';
import { printValue } from '../../print/value.js';

/** Types the SQL of the big databases treats unlike the field type they are read as. */
const speaking = /^(?:bit|enum|float|float4|inet|inet4|inet6|real|set|uuid|year)\b/i;

/** PostgreSQL has more of them than can be listed; these are those that are what they are read as. */
const silent = /^(?:text|(?:\w+\.)?citext|character varying|double precision)\b/;
const textLike: ReadonlySet<Field['type']> = new Set(['string', 'text', 'float'] as const);

interface Context {
  readonly dialect: Model['dialect'];
  /** The collection is one: while its table is empty it answers its defaults. */
  readonly singleton: boolean;
}

/** @param constructor how the file at hand calls the constructor of the field's type */
export const printField = (field: Field, constructor: string, context: Context): Code =>
  pair(`${objectKey(field.name)}:`, call(constructor, printOptions(field, context)));

const printOptions = (field: Field, { dialect, singleton }: Context): Code[] => {
  const isKeyToMake = dialect === 'mysql' && field.primaryKey && !field.autoIncrement;
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
    text('dbType', dbTypeToKnow(field, dialect)),
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

const dbTypeToKnow = (field: Field, dialect: Model['dialect']): string | null => {
  const { type, dbType } = field;
  if (type === 'unknown') return dbType;
  // SQLite has no types of its own beyond the five storage classes; without one, a number may be there as text
  if (dialect === 'sqlite') return dbType === '' ? dbType : null;
  // JSON only by meta: the database does not see to it that it is
  if (type === 'json') return /^jsonb?$/i.test(dbType) ? null : dbType;
  if (dialect === 'postgres') return speaksPostgres(field) ? dbType.replace(/\(.*?\)/, '') : null;
  return speaking.exec(dbType)?.[0].toLowerCase() ?? null;
};

/** An enum is told by its values. */
const speaksPostgres = ({ type, values, dbType }: Field): boolean =>
  textLike.has(type) && values === null && !silent.test(dbType);

const flag = (name: string, value: boolean): Code | null => (value ? pair(`${name}:`, 'true') : null);

const number = (name: string, value: number | null): Code | null =>
  value === null ? null : pair(`${name}:`, String(value));

const text = (name: string, value: string | null): Code | null =>
  value === null ? null : pair(`${name}:`, str(value));

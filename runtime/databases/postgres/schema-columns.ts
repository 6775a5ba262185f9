/** Prints columns and their changes for PostgreSQL. */
import { printExpression } from '../../schema/expressions/print.js';
import type { ColumnShape, SchemaExpression } from '../../schema/shapes.js';
import { expressions } from './expressions.js';
import { quote, quoteText } from './quoting.js';
import { printType } from './schema-types.js';

/** Prints an expression. One that could not be parsed into a tree is printed as its database wrote it. */
export const printTree = (expression: SchemaExpression): string =>
  expression.kind === 'tree' ? printExpression(expression.tree, expressions) : expression.sql;

const printValue = ({ default: value }: ColumnShape): string | null => {
  if (value === null) return null;
  if (value.kind === 'expression') return printTree(value.expression);
  return typeof value.value === 'string' ? quoteText(value.value) : String(value.value);
};

const serials: Readonly<Record<string, string>> = {
  smallint: 'smallserial',
  integer: 'serial',
  bigint: 'bigserial',
};

const identityOf = ({ autoIncrement }: ColumnShape): string =>
  `generated ${autoIncrement === 'always' ? 'always' : 'by default'} as identity`;

const isSerial = (column: ColumnShape): boolean =>
  column.autoIncrement === 'sequence' && serials[column.dataType] !== undefined;

const collationOf = ({ collation }: ColumnShape): string =>
  collation === null ? '' : ` collate ${quote(collation)}`;

/** Prints a column for `create table` and `add column`; its comment is a statement of its own. */
export const printColumn = (column: ColumnShape): string => {
  const type = isSerial(column) ? serials[column.dataType] : printType(column);
  const value = printValue(column);
  const generated =
    column.generated === null
      ? ''
      : ` generated always as (${printTree(column.generated.expression)}) stored`;
  const identity = column.autoIncrement === null || isSerial(column) ? '' : ` ${identityOf(column)}`;
  return (
    `${quote(column.name)} ${type}${collationOf(column)}${generated}${column.nullable ? '' : ' not null'}` +
    `${value === null || generated !== '' ? '' : ` default ${value}`}${identity}`
  );
};

/** Prints the statement that sets the comment of a column, or removes it. */
export const commentOn = (table: string, { name, comment }: ColumnShape): string =>
  `comment on column ${quote(table)}.${quote(name)} is ${comment === null ? 'null' : quoteText(comment)}`;

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

const typeOf = ({
  dataType,
  length,
  precision,
  scale,
  fraction,
  collation,
  values,
}: ColumnShape): unknown => [dataType, length, precision, scale, fraction, collation, values];

/** Returns whether two columns have one type, size and collation included, whatever else differs. */
export const isSameType = (before: ColumnShape, after: ColumnShape): boolean =>
  isSame(typeOf(before), typeOf(after));

/** Returns the clauses of ALTER TABLE that make one column the other, which has the same name. */
export const alterColumn = (before: ColumnShape, after: ColumnShape): readonly string[] => {
  if (!isSame(before.generated, after.generated)) {
    // the expression of a generated column cannot change
    return [`drop column ${quote(after.name)}`, `add column ${printColumn(after)}`];
  }
  const column = `alter column ${quote(after.name)}`;
  const newType = !isSameType(before, after);
  const newDefault = !isSame(before.default, after.default);
  const value = printValue(after);
  return [
    // a default may have no cast to the new type
    ...(before.default !== null && (newType || newDefault) ? [`${column} drop default`] : []),
    ...(newType
      ? [
          `${column} type ${printType(after)}${collationOf(after)} using ${printCast(quote(after.name), before, after)}`,
        ]
      : []),
    ...(value !== null && after.generated === null && (newType || newDefault)
      ? [`${column} set default ${value}`]
      : []),
    ...(before.nullable === after.nullable ? [] : [`${column} ${after.nullable ? 'drop' : 'set'} not null`]),
    ...alterIdentity(before, after, column),
  ];
};

/** Prints the cast of a column or value, by its SQL; casts to an enum and to a shorter text go by the text. */
export const printCast = (name: string, before: ColumnShape, after: ColumnShape): string => {
  const type = printType(after);
  if (before.dataType === 'boolean' || after.dataType === 'boolean') return castBoolean(name, before, after);
  const isDirect = before.values === null && after.values === null && hasCast(before, after);
  return isDirect ? `${name}::${type}` : `${name}::text::${type}`;
};

/** Types with casts to the others of their group. */
const families: readonly RegExp[] = [
  /^(?:smallint|integer|bigint|numeric|real|double precision)$/,
  /^(?:date|timestamp with.*)$/,
  /^time with.*$/,
  /^jsonb?$/,
];

/** Returns whether there is a cast between two types; every type has one to text and from it. */
const hasCast = ({ dataType: from }: ColumnShape, { dataType: to }: ColumnShape): boolean =>
  from === to || families.some((family) => family.test(from) && family.test(to));

const castBoolean = (name: string, before: ColumnShape, after: ColumnShape): string => {
  const isNumber = /^(?:smallint|integer|bigint)$/.test(
    before.dataType + after.dataType.replace('boolean', ''),
  );
  const type = printType(after);
  if (/^(?:smallint|bigint|numeric|real|double precision)/.test(after.dataType))
    return `${name}::integer::${type}`;
  return isNumber ? `${name}::${type}` : `${name}::text::${type}`;
};

const alterIdentity = (before: ColumnShape, after: ColumnShape, column: string): readonly string[] => {
  if (before.autoIncrement === after.autoIncrement) return [];
  const drop = before.autoIncrement === 'sequence' ? [`${column} drop default`] : [`${column} drop identity`];
  return [
    ...(before.autoIncrement === null ? [] : drop),
    ...(after.autoIncrement === null ? [] : [`${column} add ${identityOf(after)}`]),
  ];
};

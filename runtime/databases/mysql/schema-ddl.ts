/** Prints the DDL of an apply for MySQL and MariaDB. Everything that changes in a table is one statement. */
import type { SchemaPrinter } from '../contract.js';
import type { ColumnRename } from '../../schema/apply/rename-column.js';
import { printExpression } from '../../schema/expressions/print.js';
import { findKeyRenames, renameKeys, type KeyKind } from '../../schema/key-renames.js';
import type {
  CheckShape,
  ColumnShape,
  ForeignKeyShape,
  IndexShape,
  SchemaExpression,
  TableShape,
} from '../../schema/shapes.js';
import { collations } from './character-sets.js';
import { expressions, syntax } from './expressions.js';
import { sessionSetup } from './options.js';
import { quote, quoteAll, quoteText } from './quoting.js';
import { countInconvertible } from './schema-conversions.js';
import { costOf, type Server } from './schema-costs.js';
import { measureAlter } from './schema-measure.js';
import { createMapping } from './schema-mapping.js';
import { aliases, needsParentheses, normalizeColumn, printType, typeTraits } from './schema-types.js';

/** Differences between the two servers. */
export interface ServerTraits {
  readonly server: Server;
  /** True where a check may belong to a column, of which it has the name. */
  readonly columnChecks: boolean;
}

const printTree = (expression: SchemaExpression): string =>
  expression.kind === 'tree' ? printExpression(expression.tree, expressions) : expression.sql;

const printDefault = (column: ColumnShape): string => {
  const { default: value } = column;
  if (value === null) return '';
  if (value.kind === 'expression') {
    const isTime = value.expression.kind === 'tree' && isNow(value.expression);
    if (isTime) return ` default current_timestamp${fractionOf(column)}`;
    return ` default (${printTree(value.expression)})`;
  }
  const literal = typeof value.value === 'string' ? quoteText(value.value) : String(value.value);
  return ` default ${needsParentheses(column) ? `(${literal})` : literal}`;
};

const isNow = ({ tree }: Extract<SchemaExpression, { kind: 'tree' }>): boolean =>
  tree.kind === 'call' && tree.name === 'now';

const fractionOf = ({ fraction }: ColumnShape): string => (fraction === null ? '' : `(${fraction})`);

/** Prints the system of coordinates: MariaDB has it behind the type, MySQL in another place, also of generated columns. */
const printSystem = ({ srid }: ColumnShape, server: Server): string => {
  if (srid === undefined || srid === null) return '';
  return server === 'mariadb' ? ` ref_system_id=${srid}` : ` srid ${srid}`;
};

const printColumn = (column: ColumnShape, server: Server): string => {
  const system = printSystem(column, server);
  const collation = column.collation === null ? '' : ` collate ${column.collation}`;
  const generated =
    column.generated === null
      ? ''
      : ` generated always as (${printTree(column.generated.expression)}) ${column.generated.stored ? 'stored' : 'virtual'}`;
  // MariaDB rejects NOT NULL in a generated column
  const nullable = column.generated !== null ? '' : column.nullable ? ' null' : ' not null';
  return (
    `${quote(column.name)} ${printType(column)}${server === 'mariadb' ? system : ''}${collation}${generated}${nullable}` +
    `${server === 'mysql' ? system : ''}${column.invisible === true ? ' invisible' : ''}${printDefault(column)}` +
    (column.onUpdate ? ` on update current_timestamp${fractionOf(column)}` : '') +
    (column.autoIncrement === null ? '' : ' auto_increment') +
    (column.comment === null ? '' : ` comment ${quoteText(column.comment)}`)
  );
};

const printIndex = (index: IndexShape): string => {
  const parts = index.parts.map(({ column, expression, length, descending }) => {
    const key = column === null ? `(${expression === null ? '' : printTree(expression)})` : quote(column);
    return `${key}${length === null ? '' : `(${length})`}${descending ? ' desc' : ''}`;
  });
  const kind = index.method === 'fulltext' || index.method === 'spatial' ? `${index.method} ` : '';
  const method = index.method === 'hash' ? ' using hash' : '';
  return `${index.unique ? 'unique ' : kind}index ${quote(index.name)} (${parts.join(', ')})${method}`;
};

const printCheck = ({ name, expression, enforced }: CheckShape): string =>
  `constraint ${quote(name)} check (${printTree(expression)})${enforced === false ? ' not enforced' : ''}`;

const printForeignKey = (key: ForeignKeyShape): string =>
  `constraint ${quote(key.name)} foreign key (${quoteAll(key.columns)}) ` +
  `references ${quote(key.table)} (${quoteAll(key.references)}) ` +
  `on delete ${key.onDelete.toLowerCase()} on update ${key.onUpdate.toLowerCase()}`;

const collate = (collation: string | null): string => (collation === null ? '' : ` collate ${collation}`);

const createTable = (table: TableShape, server: Server): readonly string[] => {
  const parts = [
    ...table.columns.map((column) => printColumn(column, server)),
    ...(table.primaryKey.length > 0 ? [`primary key (${quoteAll(table.primaryKey)})`] : []),
    ...table.uniques.map(({ name, columns }) => `unique index ${quote(name)} (${quoteAll(columns)})`),
    ...table.indexes.map(printIndex),
    ...table.checks.map(printCheck),
  ];
  const comment = table.comment === null ? '' : ` comment ${quoteText(table.comment)}`;
  return [
    `create table ${quote(table.name)} (\n  ${parts.join(',\n  ')}\n)${collate(table.collation)}${comment}`,
  ];
};

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

interface Named {
  readonly name: string;
}

/** Returns what the list before has and the list after lacks, or has otherwise. */
const missingFrom = <Item extends Named>(before: readonly Item[], after: readonly Item[]): readonly Item[] =>
  before.filter((item) => !after.some((other) => isSame(item, other)));

const alterColumns = (before: TableShape, after: TableShape, server: Server): readonly string[] => {
  const old = new Map(before.columns.map((column) => [column.name, column]));
  const names = new Set(after.columns.map(({ name }) => name));
  return [
    ...before.columns.filter(({ name }) => !names.has(name)).map(({ name }) => `drop column ${quote(name)}`),
    ...after.columns.flatMap((column) => {
      const present = old.get(column.name);
      if (present === undefined) return [`add column ${printColumn(column, server)}`];
      return isSame(present, column) ? [] : [`modify column ${printColumn(column, server)}`];
    }),
  ];
};

/** Returns the checks that changing their column would drop, as they belong to it. */
const columnChecks = (before: TableShape, after: TableShape): readonly CheckShape[] => {
  const changed = new Set(missingFrom(after.columns, before.columns).map(({ name }) => name));
  return after.checks.filter(
    ({ name }) => changed.has(name) && before.checks.some((check) => check.name === name),
  );
};

const renamable: ReadonlySet<KeyKind> = new Set(['uniques', 'indexes']);

const alterTable =
  (traits: ServerTraits) =>
  (present: TableShape, after: TableShape): readonly string[] => {
    const renames = findKeyRenames(present, after, renamable);
    const before = renameKeys(present, renames);
    const again = traits.columnChecks ? columnChecks(before, after) : [];
    const droppedChecks = [
      ...new Set([...missingFrom(before.checks, after.checks), ...again].map(({ name }) => name)),
    ];
    const addedChecks = [...new Set([...missingFrom(after.checks, before.checks), ...again])];
    const keyChanges = !isSame(before.primaryKey, after.primaryKey);
    const clauses = [
      ...droppedChecks.flatMap((name) => dropCheck(name, after, traits)),
      ...[...missingFrom(before.uniques, after.uniques), ...missingFrom(before.indexes, after.indexes)].map(
        ({ name }) => `drop index ${quote(name)}`,
      ),
      ...renames.map(({ from, to }) => `rename index ${quote(from)} to ${quote(to)}`),
      ...(keyChanges && before.primaryKey.length > 0 ? ['drop primary key'] : []),
      ...alterColumns(before, after, traits.server),
      ...(keyChanges && after.primaryKey.length > 0
        ? [`add primary key (${quoteAll(after.primaryKey)})`]
        : []),
      ...missingFrom(after.uniques, before.uniques).map(
        ({ name, columns }) => `add unique index ${quote(name)} (${quoteAll(columns)})`,
      ),
      ...missingFrom(after.indexes, before.indexes).map((index) => `add ${printIndex(index)}`),
      ...addedChecks.map((check) => `add ${printCheck(check)}`),
      ...(before.comment === after.comment ? [] : [`comment = ${quoteText(after.comment ?? '')}`]),
      ...(before.collation === after.collation || after.collation === null
        ? []
        : [`collate ${after.collation}`]),
    ];
    return clauses.length === 0 ? [] : [`alter table ${quote(after.name)}\n  ${clauses.join(',\n  ')}`];
  };

/** A check of a column goes with a change of the column; it has no name to drop it by. */
const dropCheck = (name: string, after: TableShape, traits: ServerTraits): readonly string[] => {
  if (!traits.columnChecks) return [`drop check ${quote(name)}`];
  const column = after.columns.find((each) => each.name === name);
  const drop = `drop constraint if exists ${quote(name)}`;
  return column === undefined ? [drop] : [drop, `modify column ${printColumn(column, traits.server)}`];
};

/** MySQL refuses a new name for what expressions name, unless the statement changes these too. MariaDB changes them itself. */
const renameColumn = (
  { from, to }: ColumnRename,
  { before, after }: { readonly before: TableShape; readonly after: TableShape },
  { server }: ServerTraits,
): string => {
  const differs = (a: unknown, b: unknown): boolean => server === 'mysql' && !isSame(a, b);
  const isOther = ({ checks }: TableShape, check: CheckShape, at: number): boolean =>
    differs(checks[at]?.expression, check.expression);
  const isOfOther = ({ indexes }: TableShape, { parts }: IndexShape, at: number): boolean =>
    parts.some(({ expression }, part) => differs(indexes[at]?.parts[part]?.expression, expression));
  const clauses = [
    ...before.checks
      .filter((check, at) => isOther(after, check, at))
      .map(({ name }) => `drop check ${quote(name)}`),
    ...before.indexes
      .filter((index, at) => isOfOther(after, index, at))
      .map(({ name }) => `drop index ${quote(name)}`),
    `rename column ${quote(from)} to ${quote(to)}`,
    ...after.columns
      .filter(({ generated }, at) => differs(before.columns[at]?.generated, generated))
      .map((column) => `modify column ${printColumn(column, server)}`),
    ...after.indexes
      .filter((index, at) => isOfOther(before, index, at))
      .map((index) => `add ${printIndex(index)}`),
    ...after.checks
      .filter((check, at) => isOther(before, check, at))
      .map((check) => `add ${printCheck(check)}`),
  ];
  return `alter table ${quote(before.name)} ${clauses.join(', ')}`;
};

/** Returns whether an index of the table serves a key, which otherwise has one of its own name that the server made. */
const isServed = (table: TableShape, key: ForeignKeyShape): boolean => {
  const lists = [
    table.primaryKey,
    ...table.uniques.map(({ columns }) => columns),
    ...table.indexes.map(({ parts }) => parts.map(({ column }) => column)),
  ];
  return lists.some((columns) => key.columns.every((column, at) => columns[at] === column));
};

/** The index that the server made for a key goes with it. */
const dropForeignKey = (table: TableShape, key: ForeignKeyShape): string => {
  const index = isServed(table, key) ? '' : `, drop index ${quote(key.name)}`;
  return `alter table ${quote(table.name)} drop foreign key ${quote(key.name)}${index}`;
};

/** The servers cannot rename a key: it is made anew by one statement, so that rows are never without it. */
const renameForeignKey = (table: TableShape, key: ForeignKeyShape, to: string): string =>
  [
    `alter table ${quote(table.name)} drop foreign key ${quote(key.name)}`,
    ...(isServed(table, key) ? [] : [`rename index ${quote(key.name)} to ${quote(to)}`]),
    `add ${printForeignKey({ ...key, name: to })}`,
  ].join(', ');

/** A type that the servers call differently. */
const serverAliases: Readonly<Record<Server, readonly [string, string]>> = {
  mysql: ['geometrycollection', 'geomcollection'],
  mariadb: ['geomcollection', 'geometrycollection'],
};

const createSchemaPrinter = (traits: ServerTraits): SchemaPrinter => ({
  syntax,
  expressions,
  transactional: false,
  noActionIsRestrict: true,
  indexesForeignKeys: true,
  reserved: /^mysql\./i,
  // made of the name of the table, which they follow, or of a number on MariaDB
  automaticNames: { checks: /_chk_\d+$|^CONSTRAINT_\d+$/, foreignKeys: /_ibfk_\d+$/ },
  maxName: 64,
  nameLength: (name) => [...name].length,
  ...typeTraits,
  aliases: new Map([...aliases, serverAliases[traits.server]]),
  uniqueIndexIsConstraint: true,
  normalizeColumn: (column) => normalizeColumn(column, traits.server),
  collations,
  createTable: (table) => createTable(table, traits.server),
  dropTable: (name) => `drop table ${quote(name)}`,
  renameTable: (from, to) => [`rename table ${quote(from)} to ${quote(to)}`],
  renameColumn: (column, tables) => renameColumn(column, tables, traits),
  alterTable: alterTable(traits),
  addForeignKey: (table, key) => `alter table ${quote(table)} add ${printForeignKey(key)}`,
  dropForeignKey,
  renameForeignKey,
  renamable,
  renamesInViews: false,
  script: async () => ({
    session: ['set names utf8mb4', sessionSetup(traits.server, 0)],
    begin: ['start transaction'],
    commit: ['commit'],
  }),
  costOf: (change, { after }) => costOf(change, after, traits.server),
  measureAlter: (measured, database) => measureAlter(alterTable(traits), measured, database),
  countInconvertible,
  mapping: createMapping(traits.server),
});

export const mariadbSchemaPrinter = createSchemaPrinter({ server: 'mariadb', columnChecks: true });

export const mysqlSchemaPrinter = createSchemaPrinter({ server: 'mysql', columnChecks: false });

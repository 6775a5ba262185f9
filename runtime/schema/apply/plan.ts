/** Plans the statements that make one set of tables another. Pure. */
import type { SchemaPrinter } from '../../databases/contract.js';
import type { Renames } from '../diff/renames.js';
import { findKeyRenames, renameKeys, type KeyKind } from '../key-renames.js';
import type { ForeignKeyShape, TableShape } from '../shapes.js';
import { renameInTable } from './rename-column.js';

export interface Step {
  /** Description for people: `alter table works`. */
  readonly description: string;
  /** The table that changes, with the name that it will have; null for a type that tables share. */
  readonly table: string | null;
  readonly sql: string;
}

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

const steps = (description: string, table: string | null, statements: readonly string[]): readonly Step[] =>
  statements.map((sql) => ({ description, table, sql }));

/**
 * Returns the statements of renames, which come before everything else: columns, then their tables, of which constraints
 * may have the name.
 * @param tables as they are now
 */
export const planRenames = (
  { collections, fields }: Renames,
  tables: readonly TableShape[],
  printer: SchemaPrinter,
): readonly Step[] => {
  const shapes = new Map(tables.map((table) => [table.name, table]));
  const columns = [...fields].flatMap(([id, from]): Step[] => {
    const [table = '', to = ''] = id.split('\0');
    const before = shapes.get(collections.get(table) ?? table);
    if (before === undefined) return [];
    const after = renameInTable(before, { from, to });
    shapes.set(before.name, after);
    const sql = printer.renameColumn({ from, to }, { before, after });
    return [{ description: `rename ${before.name}.${from} to ${to}`, table, sql }];
  });
  return [
    ...columns,
    ...[...collections].flatMap(([to, from]) =>
      steps(`rename ${from} to ${to}`, to, printer.renameTable(from, to)),
    ),
  ];
};

/** Returns the statements that add labels to enums, each of which is committed before the others begin. */
export const planLabels = (
  before: readonly TableShape[],
  after: readonly TableShape[],
  printer: SchemaPrinter,
): readonly Step[] => steps('add label', null, printer.changeTypes?.(before, after).labels ?? []);

/** Returns the tables as they are when enums have the labels that they get. */
export const withLabels = (
  before: readonly TableShape[],
  after: readonly TableShape[],
): readonly TableShape[] => {
  const wanted = new Map(after.map((table) => [table.name, table]));
  return before.map((table) => ({
    ...table,
    columns: table.columns.map((column) => {
      const next = wanted.get(table.name)?.columns.find(({ name }) => name === column.name);
      const isGrown =
        next?.dataType === column.dataType &&
        column.values?.every((value, at) => next.values?.[at] === value) === true;
      return isGrown ? { ...column, values: next.values } : column;
    }),
  }));
};

/**
 * Returns the statements in an order that works: foreign keys are dropped first and added last. New labels of enums are
 * there already.
 */
export const planTables = (
  before: readonly TableShape[],
  after: readonly TableShape[],
  printer: SchemaPrinter,
): readonly Step[] => {
  const [old, wanted] = [byName(before), byName(after)];
  const types = printer.changeTypes?.(before, after) ?? { first: [], last: [] };
  const keys = printer.addForeignKey === null ? null : changeForeignKeys(old, wanted, printer);
  return [
    ...(keys?.dropped ?? []).flatMap(([name, key]) => {
      const table = old.get(name);
      return table === undefined
        ? []
        : steps(`drop foreign key ${name}.${key.name}`, name, [printer.dropForeignKey(table, key)]);
    }),
    ...(keys?.renamed ?? []).flatMap(([table, key, to]) =>
      steps(`rename foreign key ${table.name}.${key.name}`, table.name, [
        printer.renameForeignKey?.(table, key, to) ?? '',
      ]),
    ),
    ...steps('change types', null, types.first),
    ...after
      .filter(({ name }) => !old.has(name))
      .flatMap((table) => steps(`create ${table.name}`, table.name, printer.createTable(table))),
    ...after.flatMap((table) => {
      const present = old.get(table.name);
      return present === undefined
        ? []
        : steps(`alter ${table.name}`, table.name, alter(present, table, printer));
    }),
    ...before
      .filter(({ name }) => !wanted.has(name))
      .flatMap(({ name }) => steps(`drop ${name}`, name, [printer.dropTable(name)])),
    ...(keys?.added ?? []).flatMap(([table, key]) =>
      steps(`add foreign key ${table}.${key.name}`, table, [printer.addForeignKey?.(table, key) ?? '']),
    ),
    ...steps('change types', null, types.last),
  ];
};

const byName = (tables: readonly TableShape[]): ReadonlyMap<string, TableShape> =>
  new Map(tables.map((table) => [table.name, table]));

/** Prints the changes of a table, without foreign keys where those have statements of their own. */
const alter = (before: TableShape, after: TableShape, printer: SchemaPrinter): readonly string[] => {
  const bare = (table: TableShape): TableShape =>
    printer.addForeignKey === null ? table : { ...table, foreignKeys: [] };
  return isSame(bare(before), bare(after)) ? [] : printer.alterTable(bare(before), bare(after));
};

/** A foreign key, with the name of its table. */
export type TableKey = readonly [table: string, key: ForeignKeyShape];
type Tables = ReadonlyMap<string, TableShape>;

interface KeyChanges {
  readonly dropped: readonly TableKey[];
  readonly renamed: readonly (readonly [table: TableShape, key: ForeignKeyShape, to: string])[];
  readonly added: readonly TableKey[];
}

const keysOf = (tables: Tables): readonly TableKey[] =>
  [...tables.values()].flatMap(({ name, foreignKeys }) => foreignKeys.map((key) => [name, key] as const));

const changeForeignKeys = (present: Tables, wanted: Tables, printer: SchemaPrinter): KeyChanges => {
  const old = withNewNames(present, wanted, printer);
  const stays = ([table, key]: TableKey): boolean =>
    !isTouched(table, key.columns, { old, wanted }) && !isTouched(key.table, key.references, { old, wanted });
  const taken = new Set(keysOf(old).map(([, { name }]) => name));
  const renamed = [...old.values()].flatMap((table) =>
    findKeyRenames(table, wanted.get(table.name) ?? table, onlyForeignKeys).flatMap(({ from, to }) =>
      table.foreignKeys
        .filter((key) => key.name === from && !taken.has(to) && stays([table.name, key]))
        .map((key) => [table, key, to] as const),
    ),
  );
  const isRenamed = ([table, { name }]: TableKey): boolean =>
    renamed.some(([{ name: other }, key, to]) => other === table && (name === key.name || name === to));
  const isKept = (each: TableKey, others: Tables): boolean =>
    isRenamed(each) ||
    ((others.get(each[0])?.foreignKeys ?? []).some((other) => isSame(other, each[1])) && stays(each));
  return {
    dropped: keysOf(old).filter((each) => !isKept(each, wanted)),
    renamed,
    added: keysOf(wanted).filter((each) => !isKept(each, old)),
  };
};

/** Returns the foreign keys that the database checks rows against: new ones, and those that it has to drop and add again. */
export const addedForeignKeys = (
  before: Tables,
  after: Tables,
  printer: SchemaPrinter,
): readonly TableKey[] => changeForeignKeys(before, after, printer).added;

const onlyForeignKeys: ReadonlySet<KeyKind> = new Set(['foreignKeys']);

/** Returns the tables with the names that their alteration gives to what keys may need. */
const withNewNames = (old: Tables, wanted: Tables, { renamable }: SchemaPrinter): Tables => {
  const kinds = new Set([...renamable].filter((kind) => kind !== 'foreignKeys'));
  return new Map(
    [...old].map(([name, table]) => [
      name,
      renameKeys(table, findKeyRenames(table, wanted.get(name) ?? table, kinds)),
    ]),
  );
};

/** Returns whether columns change in a way that a foreign key over them does not allow. */
const isTouched = (
  table: string,
  columns: readonly string[],
  { old, wanted }: { readonly old: Tables; readonly wanted: Tables },
): boolean => {
  const [before, after] = [old.get(table), wanted.get(table)];
  if (before === undefined || after === undefined) return true;
  const keysOf = ({ primaryKey, keyDeferrable, uniques, indexes }: TableShape): unknown => [
    primaryKey,
    keyDeferrable,
    uniques.filter((unique) => unique.columns.some((column) => columns.includes(column))),
    indexes.filter(({ parts }) => parts.some(({ column }) => column !== null && columns.includes(column))),
  ];
  const columnsOf = (shape: TableShape): unknown =>
    shape.columns.filter(({ name }) => columns.includes(name));
  return !isSame(columnsOf(before), columnsOf(after)) || !isSame(keysOf(before), keysOf(after));
};

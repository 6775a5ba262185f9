/** Converts rows of SQLite's pragmas and `sqlite_schema` to tables. Pure. */
import type { BrokenKey, Column, ForeignKey, Index, ReferenceAction, Table, Unique } from '../catalog.js';
import type { Count } from '../dialect.js';
import { groupBy, sortBy } from '../order.js';
import { readDefault, readType } from './columns.js';
import { foldName, readIndexTerms, readTableStatement, type TableStatement } from './statement.js';

export interface TableRow {
  readonly name: string;
  readonly type: 'table' | 'view' | 'virtual';
  readonly withoutRowid: Count;
  readonly strict: Count;
  /** Number of columns; 0 if SQLite cannot determine it. */
  readonly width: Count;
}

/** The statement that created a table or an index. */
export interface StatementRow {
  readonly type: 'table' | 'index';
  readonly name: string;
  readonly sql: string;
}

export interface ColumnRow {
  readonly table: string;
  readonly name: string;
  readonly type: string;
  readonly notNull: Count;
  readonly defaultSql: string | null;
  /** Position in the primary key from 1; 0: not part of it. */
  readonly key: Count;
  /** 0 plain, 1 hidden column of a virtual table, 2 virtual and 3 stored generated. */
  readonly hidden: Count;
}

/** One column of one foreign key, in key order; ids count from the last constraint of the table to the first. */
export interface ForeignKeyRow {
  readonly table: string;
  readonly id: Count;
  readonly target: string;
  readonly from: string;
  /** The referenced column; `null` for the primary key of the target. */
  readonly to: string | null;
  readonly onUpdate: string;
  readonly onDelete: string;
}

/** One column of one index, in index order. */
export interface IndexRow {
  readonly table: string;
  readonly name: string;
  readonly unique: Count;
  /** Created by `CREATE INDEX`, a unique constraint, or the primary key. */
  readonly origin: 'c' | 'u' | 'pk';
  readonly partial: Count;
  /** The column; `null` for an expression. */
  readonly column: string | null;
}

export interface CatalogRows {
  readonly tables: readonly TableRow[];
  readonly statements: readonly StatementRow[];
  readonly columns: readonly ColumnRow[];
  readonly foreignKeys: readonly ForeignKeyRow[];
  readonly indexes: readonly IndexRow[];
}

/** All rows of one table. */
interface Parts {
  readonly row: TableRow;
  readonly statement: TableStatement;
  readonly columns: readonly ColumnRow[];
  readonly key: readonly string[];
  readonly foreignKeys: readonly ForeignKeyRow[];
  readonly indexes: ReadonlyMap<string, readonly IndexRow[]>;
}

/**
 * Converts the rows of one look at a database. Conditions and expressions of indexes are read from their
 * `create` statements.
 */
export const rowsToTables = (rows: CatalogRows): Table[] => {
  const parts = collectParts(rows);
  const expressions = new Map(
    rows.statements.filter((row) => row.type === 'index').map((row) => [row.name, row.sql]),
  );
  return [...parts.values()].map((part) => {
    const table: Table = {
      name: part.row.name,
      kind: part.row.type === 'view' ? 'view' : 'table',
      comment: null,
      columns: part.columns.map((row) => rowToColumn(row, part)),
      primaryKey: part.key.length > 0 ? part.key : null,
      uniques: readUniques(part),
      foreignKeys: readForeignKeys(part, parts),
      indexes: readIndexes(part, expressions),
    };
    const broken = readBroken(part, parts);
    const options = readOptions(part);
    return Object.assign(table, broken.length > 0 && { broken }, options !== null && { options });
  });
};

/** Groups rows by table; keys are folded names, since SQLite ignores ASCII case. */
const collectParts = (rows: CatalogRows): Map<string, Parts> => {
  const columns = groupBy(rows.columns, (row) => row.table);
  const foreignKeys = groupBy(rows.foreignKeys, (row) => row.table);
  const indexes = groupBy(rows.indexes, (row) => row.table);
  const statements = new Map(
    rows.statements.filter((row) => row.type === 'table').map((row) => [row.name, row.sql]),
  );
  return new Map(
    rows.tables.map((row) => {
      const visible = (columns.get(row.name) ?? []).filter((column) => Number(column.hidden) !== 1);
      const part: Parts = {
        row,
        statement: readTableStatement(row.type === 'table' ? (statements.get(row.name) ?? '') : ''),
        columns: visible,
        key: readKey(visible),
        foreignKeys: foreignKeys.get(row.name) ?? [],
        indexes: groupBy(indexes.get(row.name) ?? [], (index) => index.name),
      };
      return [foldName(row.name), part];
    }),
  );
};

const readKey = (columns: readonly ColumnRow[]): string[] =>
  columns
    .filter((column) => Number(column.key) > 0)
    .toSorted((a, b) => Number(a.key) - Number(b.key))
    .map((column) => column.name);

/**
 * Returns whether the key is the row id, which SQLite generates: it is a single column without an index of
 * its own.
 */
const isRowId = (part: Parts): boolean =>
  part.key.length === 1 &&
  part.row.type === 'table' &&
  ![...part.indexes.values()].some(([row]) => row?.origin === 'pk');

/**
 * Converts a column. SQLite allows null in most keys; they count as not nullable, since a row without a key
 * cannot be addressed.
 */
const rowToColumn = (row: ColumnRow, part: Parts): Column => {
  const key = Number(row.key) > 0;
  const hidden = Number(row.hidden);
  return {
    name: row.name,
    dbType: row.type,
    type: readType(row.type),
    nullable: Number(row.notNull) === 0 && !key,
    default: readDefault(row.defaultSql),
    autoIncrement: key && isRowId(part),
    generated:
      hidden === 0
        ? null
        : { expression: part.statement.generated.get(foldName(row.name)) ?? '', stored: hidden === 3 },
    comment: null,
  };
};

const isUnique = (rows: readonly IndexRow[]): boolean =>
  rows.every((row) => Number(row.unique) === 1 && Number(row.partial) === 0 && row.column !== null);

const readUniques = (part: Parts): Unique[] => {
  const uniques = [...part.indexes]
    .filter(([, rows]) => rows[0]?.origin !== 'pk' && isUnique(rows))
    .map(([name, rows]) => {
      const columns = rows.map((row) => row.column ?? '');
      return { name: rows[0]?.origin === 'u' ? nameUnique(columns, part) : name, columns };
    });
  return sortBy(uniques, (unique) => unique.name);
};

const nameUnique = (columns: readonly string[], part: Parts): string => {
  const key = foldName(columns.join('\0'));
  const written = part.statement.uniques.find((unique) => foldName(unique.columns.join('\0')) === key);
  return written?.name ?? nameConstraint(part, columns, 'unique');
};

const nameConstraint = (part: Parts, columns: readonly string[], suffix: string): string =>
  [part.row.name, ...columns, suffix].join('_');

const readIndexes = (part: Parts, statements: ReadonlyMap<string, string>): Index[] => {
  const indexes = [...part.indexes]
    .filter(([, rows]) => rows[0]?.origin === 'c' && !isUnique(rows))
    .map(([name, rows]) => {
      const texts = readIndexTerms(statements.get(name) ?? '');
      return {
        name,
        columns: rows.map((row, at) => row.column ?? { expression: texts[at] ?? '' }),
        unique: rows.every((row) => Number(row.unique) === 1),
      };
    });
  return sortBy(indexes, (index) => index.name);
};

const readForeignKeys = (part: Parts, parts: ReadonlyMap<string, Parts>): ForeignKey[] => {
  const constraints = groupBy(part.foreignKeys, (row) => String(row.id));
  const foreignKeys = [...constraints].flatMap(([id, rows]) => {
    const written = part.statement.foreignKeys[constraints.size - 1 - Number(id)];
    return resolveForeignKey(rows, { part, parts, written });
  });
  return sortBy(foreignKeys, (foreignKey) => foreignKey.name);
};

/**
 * Resolves a foreign key with the target's spelling of names; omits a reference to a missing table or column.
 */
const resolveForeignKey = (
  rows: readonly ForeignKeyRow[],
  {
    part,
    parts,
    written,
  }: {
    part: Parts;
    parts: ReadonlyMap<string, Parts>;
    written: TableStatement['foreignKeys'][number] | undefined;
  },
): ForeignKey[] => {
  const [first] = rows;
  const target = parts.get(foldName(first?.target ?? ''));
  if (first === undefined || target === undefined) return [];
  const references = rows.map((row, at) => (row.to === null ? target.key[at] : findColumn(row.to, target)));
  if (!references.every((reference) => reference !== undefined)) return [];
  const columns = rows.map((row) => row.from);
  return [
    {
      name: written?.name ?? nameConstraint(part, columns, 'foreign'),
      columns,
      table: target.row.name,
      references,
      onUpdate: first.onUpdate.toLowerCase() as ReferenceAction,
      onDelete: first.onDelete.toLowerCase() as ReferenceAction,
      ...(written?.deferred === true && { deferrable: 'deferred' }),
    },
  ];
};

/**
 * Returns the foreign keys that SQLite accepted without checking the target, with the target's spelling of
 * existing names.
 */
const readBroken = (part: Parts, parts: ReadonlyMap<string, Parts>): BrokenKey[] =>
  [...groupBy(part.foreignKeys, (row) => String(row.id)).values()].flatMap((rows) => {
    const declaredTarget = rows[0]?.target ?? '';
    const target = parts.get(foldName(declaredTarget));
    const named = rows.flatMap(({ to }) => to ?? []);
    const found = target === undefined ? [] : named.map((name) => findColumn(name, target));
    const fault = target === undefined ? 'missing' : findFault(found, { target, width: rows.length });
    if (fault === null) return [];
    const references = named.map((name, at) => found[at] ?? name);
    return [
      { columns: rows.map((row) => row.from), table: target?.row.name ?? declaredTarget, references, fault },
    ];
  });

/** Returns what is wrong with a foreign key, or null. Without references it refers to the primary key. */
const findFault = (
  references: readonly (string | undefined)[],
  { target, width }: { readonly target: Parts; readonly width: number },
): BrokenKey['fault'] | null => {
  if (references.length === 0) return target.key.length === width ? null : 'keyless';
  if (references.includes(undefined)) return 'missing';
  const isReferenced = (columns: readonly (string | null)[]): boolean =>
    columns.length === width && columns.every((column) => references.includes(column ?? undefined));
  const uniques = [...target.indexes.values()].filter(isUnique);
  const keys = [target.key, ...uniques.map((rows) => rows.map(({ column }) => column))];
  return keys.some(isReferenced) ? null : 'ambiguous';
};

const findColumn = (name: string, part: Parts): string | undefined =>
  part.columns.find((column) => foldName(column.name) === foldName(name))?.name;

const readOptions = ({ row, statement }: Parts): Table['options'] | null => {
  const options = {
    ...(Number(row.withoutRowid) === 1 && { withoutRowid: true as const }),
    ...(Number(row.strict) === 1 && { strict: true as const }),
    ...(statement.autoincrement && { autoincrement: true as const }),
  };
  return Object.keys(options).length > 0 ? options : null;
};

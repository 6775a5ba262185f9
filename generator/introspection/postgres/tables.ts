/** Converts rows of PostgreSQL's catalogs to tables. Pure. */
import type { Column, Deferrable, ForeignKey, Index, ReferenceAction, Table, Unique } from '../catalog.js';
import type { Count } from '../dialect.js';
import { groupBy } from '../order.js';
import { readDefault, readType } from './columns.js';

export interface TableRow {
  readonly name: string;
  /** `r`, `p`, `f`; `v` and `m` are views. */
  readonly kind: string;
  readonly comment: string | null;
}

export interface ColumnRow {
  readonly table: string;
  readonly name: string;
  /** `int4`; for a domain, its base type. */
  readonly typeName: string;
  /** `b` base, `e` enum, `r` range, `m` multirange, `c` composite. */
  readonly typeKind: string;
  /** `A`: array. */
  readonly category: string;
  /** Packed type modifier; -1: none. */
  readonly modifier: Count;
  /** `character varying(20)` */
  readonly dbType: string;
  readonly nullable: Count;
  /** Expression of a default or a generated column. */
  readonly expression: string | null;
  /** `s` stored, `v` virtual, empty. */
  readonly generated: string;
  /** `a` always, `d` by default, empty. */
  readonly identity: string;
  /** Sequence that the column owns and takes its values from. */
  readonly sequence: string | null;
  /** Enum labels as a JSON list. */
  readonly labels: string | null;
  readonly comment: string | null;
}

/** One column of one index, in index order. */
export interface IndexRow {
  readonly table: string;
  readonly name: string;
  readonly primary: Count;
  readonly unique: Count;
  readonly partial: Count;
  /** The column; `null` for an expression. */
  readonly column: string | null;
  readonly expression: string;
}

/** One column of one foreign key, in key order. */
export interface ForeignKeyRow {
  readonly table: string;
  readonly name: string;
  readonly onUpdate: string;
  readonly onDelete: string;
  readonly deferrable: Count;
  readonly deferred: Count;
  readonly column: string;
  readonly target: string;
  readonly reference: string;
}

export interface CatalogRows {
  readonly tables: readonly TableRow[];
  readonly columns: readonly ColumnRow[];
  readonly indexes: readonly IndexRow[];
  readonly foreignKeys: readonly ForeignKeyRow[];
}

/** Converts rows to tables; omits tables without columns. */
export const rowsToTables = (rows: CatalogRows): Table[] => {
  const columns = groupBy(rows.columns, (row) => row.table);
  const indexes = groupBy(rows.indexes, (row) => row.table);
  const foreignKeys = groupBy(rows.foreignKeys, (row) => row.table);
  return rows.tables
    .filter((table) => columns.has(table.name))
    .map((table) => {
      const byName = [...groupBy(indexes.get(table.name) ?? [], (row) => row.name)];
      return {
        name: table.name,
        kind: table.kind === 'v' || table.kind === 'm' ? 'view' : 'table',
        comment: table.comment || null,
        columns: (columns.get(table.name) ?? []).map(rowToColumn),
        primaryKey: readPrimaryKey(byName),
        uniques: byName.filter(([, parts]) => isUniqueConstraint(parts)).map(toUnique),
        foreignKeys: readForeignKeys(foreignKeys.get(table.name) ?? []),
        indexes: byName.filter(([, parts]) => !isPrimary(parts) && !isUniqueConstraint(parts)).map(toIndex),
      };
    });
};

const rowToColumn = (row: ColumnRow): Column => {
  const type = readType(row);
  const isGenerated = row.generated !== '' || isAlways(row);
  const isAutoIncrement = row.identity !== '' || isSerial(row);
  return {
    name: row.name,
    dbType: row.dbType,
    type,
    nullable: Number(row.nullable) === 1,
    default: isAutoIncrement || isGenerated ? null : readDefault(row.expression, type),
    autoIncrement: isAutoIncrement,
    generated: isGenerated ? { expression: row.expression ?? '', stored: row.generated !== 'v' } : null,
    comment: row.comment || null,
  };
};

/**
 * Returns whether the column is `GENERATED ALWAYS AS IDENTITY`, which rejects values like a computed column.
 */
const isAlways = ({ identity }: ColumnRow): boolean => identity === 'a';

/**
 * Returns whether the default takes values from a sequence that the column owns, as that of `serial` does.
 */
const isSerial = ({ sequence, expression }: ColumnRow): boolean =>
  sequence !== null && expression?.startsWith('nextval(') === true;

type IndexParts = readonly [string, readonly IndexRow[]];

const isPrimary = ([first]: readonly IndexRow[]): boolean => Number(first?.primary) === 1;

/** Returns whether an index is unique over columns for all rows, like a constraint. */
const isUniqueConstraint = (parts: readonly IndexRow[]): boolean =>
  !isPrimary(parts) &&
  parts.every((row) => Number(row.unique) === 1 && Number(row.partial) === 0 && row.column !== null);

const readPrimaryKey = (indexes: readonly IndexParts[]): readonly string[] | null =>
  indexes.find(([, parts]) => isPrimary(parts))?.[1].flatMap((row) => row.column ?? []) ?? null;

const toUnique = ([name, parts]: IndexParts): Unique => ({
  name,
  columns: parts.flatMap((row) => row.column ?? []),
});

const toIndex = ([name, parts]: IndexParts): Index => ({
  name,
  columns: parts.map((row) => row.column ?? { expression: row.expression }),
  unique: parts.every((row) => Number(row.unique) === 1),
});

const readForeignKeys = (rows: readonly ForeignKeyRow[]): ForeignKey[] =>
  [...groupBy(rows, (row) => row.name).values()].flatMap((parts) => {
    const [first] = parts;
    return first === undefined ? [] : [toForeignKey(first, parts)];
  });

const toForeignKey = (first: ForeignKeyRow, parts: readonly ForeignKeyRow[]): ForeignKey => ({
  name: first.name,
  columns: parts.map((row) => row.column),
  table: first.target,
  references: parts.map((row) => row.reference),
  onUpdate: readAction(first.onUpdate),
  onDelete: readAction(first.onDelete),
  ...readDeferrable(first),
});

/** Returns `deferrable` of a constraint that can be deferred. */
export const readDeferrable = ({
  deferrable,
  deferred,
}: {
  readonly deferrable: Count | null;
  readonly deferred: Count | null;
}): { readonly deferrable?: Deferrable } =>
  Number(deferrable) === 1 ? { deferrable: Number(deferred) === 1 ? 'deferred' : 'immediate' } : {};

const actions: ReadonlyMap<string, ReferenceAction> = new Map([
  ['r', 'restrict'],
  ['c', 'cascade'],
  ['n', 'set null'],
  ['d', 'set default'],
] as const);

const readAction = (letter: string): ReferenceAction => actions.get(letter) ?? 'no action';

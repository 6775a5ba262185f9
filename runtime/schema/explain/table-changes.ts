/** Lists the changes between two shapes of a table, part by part. Pure. */
import { columnsIn } from '../expressions/tree.js';
import { findKeyRenames, renameKeys, type KeyKind, type KeyRename } from '../key-renames.js';
import type { CheckShape, ColumnShape, ForeignKeyShape, IndexShape, TableShape } from '../shapes.js';

export type TableChange =
  | { readonly kind: 'add collection' | 'drop collection' | 'rename collection' }
  | { readonly kind: 'add field' | 'drop field' | 'rename field'; readonly column: ColumnShape }
  | { readonly kind: 'change field'; readonly old: ColumnShape; readonly column: ColumnShape }
  | { readonly kind: 'add index' | 'drop index' | 'rename index'; readonly index: IndexShape }
  | { readonly kind: 'add unique' | 'drop unique' | 'rename unique'; readonly columns: readonly string[] }
  | { readonly kind: 'add check' | 'drop check' | 'rename check'; readonly check: CheckShape }
  | { readonly kind: 'add relation' | 'drop relation' | 'rename relation'; readonly key: ForeignKeyShape }
  | { readonly kind: 'change primary key'; readonly columns: readonly string[] }
  | { readonly kind: 'change comment' | 'change collation' };

/** The cost of a change for a database that is in use. */
export interface Cost {
  /** Algorithm that the database uses, in its own terms. */
  readonly algorithm: string;
  /** The lock that it takes, in its own words. */
  readonly lock: string;
  /** Statements of other connections that wait until it is done. */
  readonly blocks: 'nothing' | 'writes' | 'everything';
  /** Work that grows with the rows: none, reading them, building an index, or rewriting all of them. */
  readonly work: 'none' | 'scan' | 'index' | 'rewrite';
}

/** The cost of the statements that alter a table, as the server itself tells it. */
export interface ExactCost extends Pick<Cost, 'algorithm'> {
  /** Absent where the server tells only whether rows are rewritten. */
  readonly lock?: string;
  readonly blocks?: Cost['blocks'];
  /** True where all rows are written again; absent where the server does not report it. */
  readonly rewrites?: boolean;
}

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

const missingFrom = <Item>(items: readonly Item[], others: readonly Item[]): readonly Item[] =>
  items.filter((item) => !others.some((other) => isSame(item, other)));

/**
 * Returns the changes from one shape to another of the same name.
 * @param renamable what gets another name, where it is the same otherwise; the rest is dropped and added
 */
export const compareTables = (
  present: TableShape,
  after: TableShape,
  renamable: ReadonlySet<KeyKind>,
): readonly TableChange[] => {
  const renames = findKeyRenames(present, after, renamable);
  return [...toChanges(renames, after), ...compareParts(renameKeys(present, renames), after)];
};

const toChanges = (renames: readonly KeyRename[], after: TableShape): readonly TableChange[] => {
  const find = <Item extends { readonly name: string }>(kind: KeyKind, items: readonly Item[]) =>
    items.filter(({ name }) => renames.some((rename) => rename.kind === kind && rename.to === name));
  return [
    ...find('uniques', after.uniques).map(({ columns }) => ({ kind: 'rename unique', columns }) as const),
    ...find('indexes', after.indexes).map((index) => ({ kind: 'rename index', index }) as const),
    ...find('checks', after.checks).map((check) => ({ kind: 'rename check', check }) as const),
    ...find('foreignKeys', after.foreignKeys).map((key) => ({ kind: 'rename relation', key }) as const),
  ];
};

const compareParts = (before: TableShape, after: TableShape): readonly TableChange[] => [
  ...compareColumns(before, after),
  ...(isSame(before.primaryKey, after.primaryKey) && before.keyDeferrable === after.keyDeferrable
    ? []
    : [{ kind: 'change primary key', columns: after.primaryKey } as const]),
  ...missingFrom(before.uniques, after.uniques).map(
    ({ columns }) => ({ kind: 'drop unique', columns }) as const,
  ),
  ...missingFrom(after.uniques, before.uniques).map(
    ({ columns }) => ({ kind: 'add unique', columns }) as const,
  ),
  ...missingFrom(before.indexes, after.indexes).map((index) => ({ kind: 'drop index', index }) as const),
  ...missingFrom(after.indexes, before.indexes).map((index) => ({ kind: 'add index', index }) as const),
  ...missingFrom(before.checks, after.checks).map((check) => ({ kind: 'drop check', check }) as const),
  ...missingFrom(after.checks, before.checks).map((check) => ({ kind: 'add check', check }) as const),
  ...missingFrom(before.foreignKeys, after.foreignKeys).map(
    (key) => ({ kind: 'drop relation', key }) as const,
  ),
  ...missingFrom(after.foreignKeys, before.foreignKeys).map(
    (key) => ({ kind: 'add relation', key }) as const,
  ),
  ...(before.comment === after.comment ? [] : [{ kind: 'change comment' } as const]),
  ...(before.collation === after.collation ? [] : [{ kind: 'change collation' } as const]),
];

const compareColumns = (before: TableShape, after: TableShape): readonly TableChange[] => {
  const old = new Map(before.columns.map((column) => [column.name, column]));
  const names = new Set(after.columns.map(({ name }) => name));
  return [
    ...before.columns
      .filter(({ name }) => !names.has(name))
      .map((column) => ({ kind: 'drop field', column }) as const),
    ...after.columns.flatMap((column): TableChange[] => {
      const present = old.get(column.name);
      if (present === undefined) return [{ kind: 'add field', column }];
      return isSame(present, column) ? [] : [{ kind: 'change field', old: present, column }];
    }),
  ];
};

/** Returns the fields that a change names; none for one of the whole collection. */
export const fieldsOf = (change: TableChange): readonly string[] => {
  if ('column' in change) return [change.column.name];
  if ('columns' in change) return change.columns;
  if ('key' in change) return change.key.columns;
  if ('check' in change)
    return change.check.expression.kind === 'tree' ? columnsIn(change.check.expression.tree) : [];
  return 'index' in change ? change.index.parts.flatMap(({ column }) => column ?? []) : [];
};

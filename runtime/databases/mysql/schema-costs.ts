/**
 * Costs of changes in MySQL and MariaDB (dev.mysql.com/doc/refman/9.4/en/innodb-online-ddl-operations.html,
 * mariadb.com/kb/en/innodb-online-ddl-overview). The changes of a table are one statement, done as the slowest of them.
 */
import type { Cost, TableChange } from '../../schema/explain/table-changes.js';
import type { ColumnShape, TableShape } from '../../schema/shapes.js';

/** Algorithms from the cheapest to the most expensive. */
const algorithms = ['INSTANT', 'NOCOPY', 'INPLACE', 'COPY'] as const;
type Algorithm = (typeof algorithms)[number];

interface Way {
  readonly algorithm: Algorithm;
  readonly work: Cost['work'];
}

const instant: Way = { algorithm: 'INSTANT', work: 'none' };
const inPlace: Way = { algorithm: 'INPLACE', work: 'none' };
const rebuild: Way = { algorithm: 'INPLACE', work: 'rewrite' };
const copy: Way = { algorithm: 'COPY', work: 'rewrite' };

const toCost = ({ algorithm, work }: Way, sharedLock = false): Cost =>
  algorithm === 'COPY' || sharedLock
    ? { algorithm, lock: 'SHARED', blocks: 'writes', work }
    : { algorithm, lock: 'NONE', blocks: 'nothing', work };

export type Server = 'mysql' | 'mariadb';

/** Returns what a change locks and whether it copies the table, on this version of the server. */
export const costOf = (change: TableChange, table: TableShape, server: Server): Cost => {
  // an index of words or places is built without writes meanwhile
  const isSpecial = change.kind === 'add index' && isSpecialMethod(change.index.method);
  return toCost(wayOf(change, table, server), isSpecial);
};

const isSpecialMethod = (method: string | null): boolean => method === 'fulltext' || method === 'spatial';

const wayOf = (change: TableChange, table: TableShape, server: Server): Way => {
  const index: Way = { algorithm: server === 'mariadb' ? 'NOCOPY' : 'INPLACE', work: 'index' };
  switch (change.kind) {
    case 'add index':
      return isSpecialMethod(change.index.method) ? { algorithm: 'INPLACE', work: 'index' } : index;
    case 'add unique':
      return index;
    case 'drop index':
    case 'drop unique':
    // with the index that the server made for it
    case 'drop relation':
      return { ...index, work: 'none' };
    // rows are verified, as keys are added with checks on
    case 'add relation':
    case 'add check':
      return copy;
    case 'change primary key':
      return rebuild;
    case 'add field':
      return addColumn(change.column);
    case 'change field':
      return changeColumn(change, table, server);
    case 'rename index':
    case 'rename unique':
      return server === 'mariadb' ? instant : inPlace;
    case 'change collation':
      return inPlace;
    default:
      return instant;
  }
};

const addColumn = ({ generated, default: value, autoIncrement }: ColumnShape): Way => {
  if (generated !== null) return generated.stored ? copy : instant;
  if (autoIncrement !== null) return copy;
  if (value?.kind !== 'expression') return instant;
  const { expression } = value;
  const isNow =
    expression.kind === 'tree' && expression.tree.kind === 'call' && expression.tree.name === 'now';
  return isNow ? instant : copy;
};

interface ColumnChange {
  readonly old: ColumnShape;
  readonly column: ColumnShape;
}

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

const worst = (ways: readonly Way[]): Way =>
  ways.reduce((most, way) => {
    const [a, b] = [algorithms.indexOf(most.algorithm), algorithms.indexOf(way.algorithm)];
    if (a !== b) return a > b ? most : way;
    return most.work === 'none' ? way : most;
  }, instant);

const sizesOf = ({ precision, scale, fraction }: ColumnShape): unknown => [precision, scale, fraction];

const changeColumn = ({ old, column }: ColumnChange, table: TableShape, server: Server): Way => {
  const isConverted =
    old.dataType !== column.dataType ||
    !isSame(sizesOf(old), sizesOf(column)) ||
    !isSame(old.generated, column.generated);
  if (isConverted) return copy;
  return worst([
    ...(old.length === column.length ? [] : [changeLength({ old, column }, server)]),
    ...(isSame(old.values, column.values) ? [] : [isAppended({ old, column }) ? instant : copy]),
    ...(old.nullable === column.nullable ? [] : [rebuild]),
    ...(old.collation === column.collation ? [] : [changeCollation({ old, column }, table, server)]),
  ]);
};

/** Most characters of which the length fits into one byte. */
const shortest = 63;

const changeLength = ({ old, column }: ColumnChange, server: Server): Way => {
  const [from, to] = [old.length ?? 0, column.length ?? 0];
  if (!column.dataType.startsWith('var') || to < from) return copy;
  if (server === 'mariadb') return instant;
  return from <= shortest && to > shortest ? copy : inPlace;
};

const isAppended = ({ old, column }: ColumnChange): boolean =>
  (old.values ?? []).every((value, at) => column.values?.[at] === value);

const charsetOf = (collation: string | null): string | undefined => collation?.split('_')[0];

const changeCollation = ({ old, column }: ColumnChange, table: TableShape, server: Server): Way => {
  if (charsetOf(old.collation) !== charsetOf(column.collation)) return copy;
  const isIndexed = [
    table.primaryKey,
    ...table.uniques.map(({ columns }) => columns),
    ...table.indexes.map(({ parts }) => parts.map((part) => part.column)),
  ].some((columns) => columns.includes(column.name));
  if (server === 'mariadb') return isIndexed ? { algorithm: 'NOCOPY', work: 'index' } : instant;
  return isIndexed ? copy : inPlace;
};

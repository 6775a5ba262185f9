/** Locks and work of PostgreSQL for a change (postgresql.org/docs/current/sql-altertable.html). */
import type { Cost, TableChange } from '../../schema/explain/table-changes.js';
import type { ColumnShape, SchemaExpression } from '../../schema/shapes.js';

const exclusive = (work: Cost['work']): Cost => ({
  algorithm: { none: 'catalog', scan: 'scan', index: 'index build', rewrite: 'rewrite' }[work],
  lock: 'ACCESS EXCLUSIVE',
  blocks: 'everything',
  work,
});

const unnoticed: Cost = {
  algorithm: 'catalog',
  lock: 'SHARE UPDATE EXCLUSIVE',
  blocks: 'nothing',
  work: 'none',
};

/** The cost of an index that is built outside of a transaction. */
export const costOfBuild: Cost = { ...unnoticed, algorithm: 'index build', work: 'index' };

/** Returns what a change locks, and whether it reads or rewrites the table, as documented for PostgreSQL. */
export const costOf = (change: TableChange): Cost => {
  switch (change.kind) {
    case 'add field':
      return exclusive(isFilled(change.column) ? 'rewrite' : 'none');
    case 'change field':
      return isSame({ ...change.old, comment: null }, { ...change.column, comment: null })
        ? unnoticed
        : exclusive(changeColumn(change));
    case 'change comment':
    case 'rename index':
      return unnoticed;
    case 'add check':
      return exclusive('scan');
    case 'add relation':
      return { algorithm: 'scan', lock: 'SHARE ROW EXCLUSIVE', blocks: 'writes', work: 'scan' };
    case 'add index':
      return { algorithm: 'index build', lock: 'SHARE', blocks: 'writes', work: 'index' };
    case 'add unique':
    case 'change primary key':
      return exclusive('index');
    default:
      return exclusive('none');
  }
};

/** Returns whether each row gets a value of its own. */
const isFilled = ({ default: value, generated, autoIncrement }: ColumnShape): boolean =>
  autoIncrement !== null ||
  generated?.stored === true ||
  (value?.kind === 'expression' && isVolatile(value.expression));

/** The time is that of the statement, the same for every row. */
const isVolatile = (expression: SchemaExpression): boolean =>
  expression.kind === 'raw' || JSON.stringify(expression.tree).includes('"uuid"');

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

const changeColumn = ({
  old,
  column,
}: {
  readonly old: ColumnShape;
  readonly column: ColumnShape;
}): Cost['work'] => {
  if (!isSame(old.generated, column.generated) || isRewritten(old, column)) return 'rewrite';
  return old.nullable && !column.nullable ? 'scan' : 'none';
};

const isText = ({ dataType }: ColumnShape): boolean =>
  dataType === 'text' || dataType === 'character varying';

/** Returns whether values are stored in another form or truncated. */
const isRewritten = (old: ColumnShape, column: ColumnShape): boolean => {
  if (!isSame(old.collation, column.collation)) return true;
  if (isText(old) && isText(column)) {
    return column.length !== null && (old.length === null || column.length < old.length);
  }
  if (old.dataType !== column.dataType) return true;
  if (!isSame(old.values, column.values)) {
    return !(old.values ?? []).every((value, at) => column.values?.[at] === value);
  }
  if (old.length !== column.length || old.fraction !== column.fraction) return true;
  return old.scale !== column.scale || (column.precision ?? 1000) < (old.precision ?? 1000);
};

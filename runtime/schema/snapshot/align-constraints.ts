/** Brings constraints into the order and under the automatic names of those that are there, which mean nothing. Pure. */
import { sortBy } from '../../../generator/introspection/order.js';
import type { SchemaPrinter } from '../../databases/contract.js';
import type { TableShape } from '../shapes.js';

/** Returns the table; a constraint gets the name of an equal one that is there if the database may have made both names. */
export const alignConstraints = (
  table: TableShape,
  current: TableShape | undefined,
  { automaticNames: names }: SchemaPrinter,
): TableShape =>
  current === undefined
    ? table
    : {
        ...table,
        uniques: align(table.uniques, current.uniques, names?.uniques),
        indexes: align(table.indexes, current.indexes),
        checks: align(table.checks, current.checks, names?.checks),
        foreignKeys: align(table.foreignKeys, current.foreignKeys, names?.foreignKeys),
      };

interface Named {
  readonly name: string;
}

const align = <Item extends Named>(
  items: readonly Item[],
  present: readonly Item[],
  automatic?: RegExp,
): readonly Item[] => {
  const order = new Map(present.map(({ name }, at) => [name, at]));
  const named = automatic === undefined ? items : keepNames(items, present, automatic);
  return sortBy(named, ({ name }) => String(order.get(name) ?? present.length).padStart(5, '0'));
};

const keepNames = <Item extends Named>(
  items: readonly Item[],
  present: readonly Item[],
  automatic: RegExp,
): readonly Item[] => {
  const isFree = ({ name }: Item, others: readonly Item[]): boolean =>
    automatic.test(name) && !others.some((other) => other.name === name);
  const free = present.filter((item) => isFree(item, items));
  return items.map((item) => {
    if (!isFree(item, present)) return item;
    const at = free.findIndex(
      (other) => JSON.stringify({ ...other, name: item.name }) === JSON.stringify(item),
    );
    return at === -1 ? item : Object.assign({}, item, { name: free.splice(at, 1)[0]?.name });
  });
};

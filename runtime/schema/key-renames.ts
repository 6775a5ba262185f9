/** Finds constraints and indexes that differ from those that are there in their name only. Pure. */
import type { TableShape } from './shapes.js';

export type KeyKind = 'uniques' | 'indexes' | 'checks' | 'foreignKeys';

export interface KeyRename {
  readonly kind: KeyKind;
  readonly from: string;
  readonly to: string;
}

type Named = TableShape[KeyKind][number];

const kinds: readonly KeyKind[] = ['uniques', 'indexes', 'checks', 'foreignKeys'];

/**
 * Returns the renames of a table, whose columns have their new names.
 * @param renamable the kinds that the database can rename
 */
export const findKeyRenames = (
  before: TableShape,
  after: TableShape,
  renamable: ReadonlySet<KeyKind>,
): readonly KeyRename[] => {
  // a name that something else has is not free until that is dropped
  const taken = new Set(kinds.flatMap((kind) => before[kind].map(({ name }) => name)));
  return kinds
    .filter((kind) => renamable.has(kind))
    .flatMap((kind) =>
      pairsOf(before[kind], after[kind])
        .filter(({ to }) => !taken.has(to))
        .map(({ from, to }) => ({ kind, from, to })),
    );
};

const pairsOf = (before: readonly Named[], after: readonly Named[]): readonly Omit<KeyRename, 'kind'>[] => {
  const gone = before.filter(({ name }) => !after.some((other) => other.name === name));
  const added = after.filter(({ name }) => !before.some((other) => other.name === name));
  return added.flatMap((item) => {
    const at = gone.findIndex(
      (other) => JSON.stringify({ ...other, name: item.name }) === JSON.stringify(item),
    );
    return at === -1 ? [] : gone.splice(at, 1).map(({ name }) => ({ from: name, to: item.name }));
  });
};

/** Returns the table with the new names. */
export const renameKeys = (table: TableShape, renames: readonly KeyRename[]): TableShape => {
  const renamed = <Item extends Named>(kind: KeyKind, items: readonly Item[]): readonly Item[] =>
    items.map((item) => {
      const found = renames.find((rename) => rename.kind === kind && rename.from === item.name);
      return found === undefined ? item : { ...item, name: found.to };
    });
  return {
    ...table,
    uniques: renamed('uniques', table.uniques),
    indexes: renamed('indexes', table.indexes),
    checks: renamed('checks', table.checks),
    foreignKeys: renamed('foreignKeys', table.foreignKeys),
  };
};

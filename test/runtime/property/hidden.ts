/** Everything a viewer may not see, changed: cells trade their values, in a way that no rule of the viewer notices. */
import type { Model, ModelClass } from 'objection';
import type { Collection, Field } from '../../../contract/collection.js';
import type { Archive } from './archive.js';
import type { FilterTree } from './filters.js';
import type { Row } from './rows.js';
import { mayUse, shows, visibleRows, type World } from './visible.js';

/** Names by collection that the viewer's rules look at. */
type Used = Map<string, Set<string>>;

const use = (used: Used, collection: Collection, names: readonly string[]): void => {
  used.set(collection.name, new Set([...(used.get(collection.name) ?? []), ...names]));
};

const collectUsed = (filter: FilterTree, collection: Collection, used: Used): void => {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return filter.parts.forEach((part) => collectUsed(part, collection, used));
    case 'compare':
      return use(used, collection, [filter.field.name]);
    case 'one':
      use(used, collection, filter.relation.fields);
      if (filter.relation.anyOf !== undefined)
        use(used, collection, [filter.relation.anyOf.collectionField.name]);
      return collectUsed(filter.filter, filter.relation.collection, used);
    case 'many':
      use(used, filter.relation.collection, filter.relation.fields);
      if (filter.filter !== null) collectUsed(filter.filter, filter.relation.collection, used);
  }
};

const usedBy = ({ archive, viewer }: World): Used => {
  const used: Used = new Map();
  for (const { collection: name, filter } of viewer.permissions ?? []) {
    const collection = archive.registry.collections.get(name);
    if (filter !== null && collection !== undefined) collectUsed(filter, collection, used);
  }
  return used;
};

/** A list that may be seen tells whose its rows are: a right of its own, whatever may be seen of the rows. */
const toldByLists = (world: World): Used => {
  const told: Used = new Map();
  for (const collection of world.archive.registry.collections.values()) {
    for (const relation of collection.relations.values()) {
      if (relation.kind !== 'oneToMany' || !mayUse(world, collection, relation.name)) continue;
      use(told, relation.collection, relation.fields);
    }
  }
  return told;
};

interface Change {
  readonly collection: Collection;
  readonly row: Row;
  readonly values: Row;
}

/** Rows with the values that take the place of hidden ones. */
export const hiddenChanges = (world: World): readonly Change[] => {
  const [used, told] = [usedBy(world), toldByLists(world)];
  return [...world.archive.registry.collections.values()].flatMap((collection) => {
    const rows = world.archive.rows.get(collection.name) ?? [];
    const visible = new Set(visibleRows(world, collection));
    const values = new Map<Row, Record<string, unknown>>();
    for (const field of collection.fields.values()) {
      if (isBound(field, collection) || used.get(collection.name)?.has(field.name) === true) continue;
      const isTold = told.get(collection.name)?.has(field.name) === true;
      const hidden = rows.filter(
        (row) => !visible.has(row) || (!isTold && !shows(world, collection, { name: field.name, row })),
      );
      for (const group of [
        hidden,
        concealedRows(
          field,
          rows.filter((row) => !hidden.includes(row)),
        ),
      ]) {
        group.forEach((row, index) => {
          const other = group[(index + 1) % group.length]?.[field.name];
          if (other !== row[field.name]) values.set(row, { ...values.get(row), [field.name]: other });
        });
      }
    }
    return [...values].map(([row, changed]) => ({ collection, row, values: changed }));
  });
};

/** Keys, and parts of references that hold together only. */
const isBound = (field: Field, { key, relations }: Collection): boolean =>
  key.includes(field) ||
  [...relations.values()].some(
    (relation) =>
      relation.kind === 'manyToOne' && relation.fields.length > 1 && relation.fields.includes(field.name),
  );

/** Shows only whether a concealed value exists. */
const concealedRows = ({ name, conceal }: Field, shown: readonly Row[]): readonly Row[] =>
  conceal === true ? shown.filter((row) => row[name] !== null) : [];

/** Runs `body` while the values are changed. */
export const withChanges = async <Result>(
  archive: Archive,
  changes: readonly Change[],
  body: () => Promise<Result>,
): Promise<Result> => {
  await write(archive, changes);
  try {
    return await body();
  } finally {
    await write(
      archive,
      changes.map(({ collection, row, values }) => ({
        collection,
        row,
        values: Object.fromEntries(Object.keys(values).map((name) => [name, row[name]])),
      })),
    );
  }
};

const write = async ({ models }: Archive, changes: readonly Change[]): Promise<void> => {
  const model = [...models.values()][0] as ModelClass<Model>;
  await model.transaction(async (transaction) => {
    for (const { collection, row, values } of changes) {
      const key = collection.key.map(({ name }) => row[name]) as string[];
      const target = models.get(collection.name) as ModelClass<Model>;
      await target.query(transaction).findById(key).patch(values);
    }
  });
};

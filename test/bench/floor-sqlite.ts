/** The floor on SQLite: the library in the process itself, every statement prepared once. */
import Sqlite from 'libsql';
import type { FloorStore } from './floor.js';
import { articleToWire, draftValues, nestComments, nestTags, sql, type Row } from './floor-rows.js';

/** SQLite keeps decimals as doubles; the column has two digits. */
const toWire = (row: Row | undefined): Row => {
  const wire = articleToWire(row);
  wire.rating = (wire.rating as number).toFixed(2);
  return wire;
};

export const openSqliteStore = (path: string): FloorStore => {
  const database = new Sqlite(path);
  database.exec('PRAGMA busy_timeout = 5000; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON');
  const prepare = (text: string): ((...values: (string | number)[]) => Row[]) => {
    const statement = database.prepare(text);
    return (...values) => statement.all(...values) as Row[];
  };
  const one = prepare(sql.one);
  const flat = prepare(sql.flat);
  const page = prepare(sql.page);
  const parents = prepare(sql.parents);
  const children = prepare(sql.children(50));
  const keys = prepare(sql.ids);
  const newest = prepare(sql.newest);
  const filter = prepare(sql.filter);
  const create = prepare(`${sql.create} ${sql.returning}`);
  const createMany = prepare(`${sql.createMany} RETURNING id`);
  return {
    one: async (id) => toWire(one(id)[0]),
    flat: async (after) => flat(after),
    page: async (status, offset) => page(status, offset).map(toWire),
    nest: async (after) => {
      const found = parents(after);
      return nestTags(found, children(...found.map((row) => row.id as number)));
    },
    deep: async (after) => {
      const ids = keys(after).map((row) => row.id as number);
      return nestComments(
        ids,
        ids.flatMap((id) => newest(id)),
      );
    },
    filter: async (tag) => filter(tag),
    create: async (draft) => toWire(create(...draftValues(draft))[0]),
    createMany: async (drafts) => createMany(...drafts.flatMap(draftValues)),
  };
};

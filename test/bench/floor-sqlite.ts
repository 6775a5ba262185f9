/** The floor on SQLite: the library in the process itself, every statement prepared once. */
import Sqlite from 'libsql';
import type { FloorStore } from './floor.js';
import { blockKinds } from './data.js';
import {
  articleToWire,
  draftValues,
  groupToWire,
  nestComments,
  nestedValues,
  nestTags,
  readPages,
  sql,
  type Row,
} from './floor-rows.js';

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
  const statements = [sql.pages, sql.blocks, ...blockKinds.map((kind) => sql.blockItems(kind, 'INTEGER'))];
  const prepared = new Map(statements.map((text) => [text, prepare(text)]));
  const aggregate = prepare(sql.aggregate);
  const cursor = prepare(sql.cursor);
  const all = database.prepare(sql.export);
  const createOwner = prepare(`${sql.create} RETURNING id`);
  const createNotes = prepare(`${sql.notes} RETURNING id`);
  const createLinks = prepare(`${sql.links} RETURNING id`);
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
    createNested: async (draft) =>
      database.transaction(() => {
        const [{ id } = {}] = createOwner(...draftValues(draft));
        const { notes, links } = nestedValues(id as number, draft);
        createNotes(...notes);
        createLinks(...links);
        return { id };
      })() as Row,
    aggregate: async (...values) => aggregate(...values).map(groupToWire),
    pages: (after) => readPages(after, 'INTEGER', (_, text, ids) => prepared.get(text)?.(...ids) ?? []),
    cursor: async (after) => cursor(after).map(toWire),
    async *export(after) {
      for (const row of all.iterate(after)) yield toWire(row as Row);
    },
  };
};

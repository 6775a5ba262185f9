/** The floor on PostgreSQL: one pool of ten, everything prepared, rows decoded by the driver. */
import { Pool, types } from 'pg';
import { numberPlaceholders } from '../../runtime/databases/postgres/placeholders.js';
import type { FloorStore, NestedDraft } from './floor.js';
import {
  draftValues,
  groupToWire,
  nestComments,
  nestedValues,
  nestTags,
  readPages,
  sql,
  type Row,
} from './floor-rows.js';

const timestamp = 1114;

/** As in `articleToWire`; booleans are booleans already. */
const articleToWire = (row: Row | undefined): Row => {
  if (row === undefined) throw new Error('no such row');
  row.published_at = (row.published_at as string).replace(' ', 'T');
  return row;
};

export const openPostgresStore = (url: string): FloorStore => {
  types.setTypeParser(timestamp, (text) => text);
  const pool = new Pool({ connectionString: url, max: 10 });
  const numbered = new Map<string, string>();
  const rows = async (name: string, text: string, values: (string | number)[]): Promise<Row[]> => {
    let prepared = numbered.get(text);
    if (prepared === undefined) numbered.set(text, (prepared = numberPlaceholders(text)));
    return (await pool.query<Row>({ name, text: prepared, values })).rows;
  };
  const createNested = async (draft: NestedDraft): Promise<Row> => {
    const client = await pool.connect();
    const run = async (name: string, text: string, values: (string | number)[]): Promise<Row | undefined> =>
      (await client.query<Row>({ name, text: numberPlaceholders(text), values })).rows[0];
    try {
      await client.query('BEGIN');
      const { id } = (await run('create nested', `${sql.create} RETURNING id`, draftValues(draft))) as Row;
      const { notes, links } = nestedValues(id as number, draft);
      await run('notes', sql.notes, notes);
      await run('links', sql.links, links);
      await client.query('COMMIT');
      return { id };
    } catch (error) {
      await client.query('ROLLBACK');
      throw error;
    } finally {
      client.release();
    }
  };
  /** The driver has no streams of its own: a cursor of the server. */
  async function* readAll(after: number): AsyncGenerator<Row, void, void> {
    const client = await pool.connect();
    try {
      await client.query('BEGIN');
      await client.query({
        text: `DECLARE all_rows CURSOR FOR ${numberPlaceholders(sql.export)}`,
        values: [after],
      });
      for (;;) {
        const { rows: found } = await client.query<Row>('FETCH 1000 FROM all_rows');
        if (found.length === 0) return;
        for (const row of found) yield articleToWire(row);
      }
    } finally {
      await client.query('COMMIT');
      client.release();
    }
  }
  return {
    one: async (id) => articleToWire((await rows('one', sql.one, [id]))[0]),
    flat: (after) => rows('flat', sql.flat, [after]),
    page: async (status, offset) => (await rows('page', sql.page, [status, offset])).map(articleToWire),
    nest: async (after) => {
      const parents = await rows('parents', sql.parents, [after]);
      const ids = parents.map((row) => row.id as number);
      const children = await rows(`children ${ids.length}`, sql.children(ids.length), ids);
      return nestTags(parents, children);
    },
    deep: async (after) => {
      const ids = (await rows('ids', sql.ids, [after])).map((row) => row.id as number);
      return nestComments(ids, await rows('newest', sql.newestLateral, [`{${ids.join(',')}}`]));
    },
    filter: (tag) => rows('filter', sql.filter, [tag]),
    create: async (draft) =>
      articleToWire((await rows('create', `${sql.create} ${sql.returning}`, draftValues(draft)))[0]),
    createMany: (drafts) => rows('bulk', `${sql.createMany} RETURNING id`, drafts.flatMap(draftValues)),
    createNested,
    aggregate: async (...values) => (await rows('aggregate', sql.aggregate, values)).map(groupToWire),
    pages: (after) => readPages(after, 'INTEGER', rows),
    cursor: async (after) => (await rows('cursor', sql.cursor, [after])).map(articleToWire),
    export: readAll,
  };
};

/** The floor on PostgreSQL: one pool of ten, everything prepared, rows decoded by the driver. */
import { Pool, types } from 'pg';
import { numberPlaceholders } from '../../runtime/databases/postgres/placeholders.js';
import type { FloorStore } from './floor.js';
import { draftValues, nestComments, nestTags, sql, type Row } from './floor-rows.js';

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
  };
};

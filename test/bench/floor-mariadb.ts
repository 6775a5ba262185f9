/** The floor on MariaDB: one pool of ten, everything prepared, rows decoded by the driver. */
import { createPool, type RowDataPacket } from 'mysql2';
import type { FloorStore } from './floor.js';
import { articleToWire, draftValues, nestTags, sql, type Row } from './floor-rows.js';

export const openMariadbStore = (url: string): FloorStore => {
  const pool = createPool({ uri: url, connectionLimit: 10, dateStrings: true });
  const rows = (text: string, values: (string | number)[]): Promise<Row[]> =>
    new Promise((resolve, reject) => {
      pool.execute<RowDataPacket[]>(text, values, (error, found) => (error ? reject(error) : resolve(found)));
    });
  return {
    one: async (id) => articleToWire((await rows(sql.one, [id]))[0]),
    flat: (after) => rows(sql.flat, [after]),
    page: async (status, offset) => (await rows(sql.page, [status, offset])).map(articleToWire),
    nest: async (after) => {
      const parents = await rows(sql.parents, [after]);
      const ids = parents.map((row) => row.id as number);
      return nestTags(parents, await rows(sql.children(ids.length), ids));
    },
    create: async (draft) => articleToWire((await rows(sql.create, draftValues(draft)))[0]),
  };
};

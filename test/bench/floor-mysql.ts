/** The floor on MySQL and MariaDB: one pool of ten, everything prepared, rows decoded by the driver. */
import { createPool, type ResultSetHeader, type RowDataPacket } from 'mysql2';
import type { Draft, FloorStore } from './floor.js';
import { articleToWire, draftValues, nestComments, nestTags, sql, type Row } from './floor-rows.js';

type Value = string | number | bigint;

export const openMysqlStore = async (url: string): Promise<FloorStore> => {
  const pool = createPool({ uri: url, connectionLimit: 10, dateStrings: true });
  const execute = <Result extends RowDataPacket[] | ResultSetHeader>(text: string, values: Value[]) =>
    new Promise<Result>((resolve, reject) => {
      pool.execute<Result>(text, values, (error, found) => (error ? reject(error) : resolve(found)));
    });
  const rows = (text: string, values: Value[]): Promise<Row[]> => execute<RowDataPacket[]>(text, values);
  const [server] = await rows('SELECT VERSION() AS version', []);
  const createReturning = async (draft: Draft): Promise<Row | undefined> =>
    (await rows(`${sql.create} ${sql.returning}`, draftValues(draft)))[0];
  const createAndRead = async (draft: Draft): Promise<Row | undefined> => {
    const { insertId } = await execute<ResultSetHeader>(sql.create, draftValues(draft));
    return (await rows(sql.draft, [insertId]))[0];
  };
  const createManyReturning = (values: Value[]) => rows(`${sql.createMany} RETURNING id`, values);
  // consecutive for a plain insert
  const createManyAndCount = async (values: Value[]): Promise<Row[]> => {
    const { insertId, affectedRows } = await execute<ResultSetHeader>(sql.createMany, values);
    return Array.from({ length: affectedRows }, (_, index) => ({ id: insertId + index }));
  };
  const isMariadb = String(server?.version).includes('MariaDB');
  const create = isMariadb ? createReturning : createAndRead;
  const createMany = isMariadb ? createManyReturning : createManyAndCount;
  return {
    one: async (id) => articleToWire((await rows(sql.one, [id]))[0]),
    flat: (after) => rows(sql.flat, [after]),
    // MySQL refuses an offset that is bound as a double
    page: async (status, offset) => (await rows(sql.page, [status, BigInt(offset)])).map(articleToWire),
    nest: async (after) => {
      const parents = await rows(sql.parents, [after]);
      const ids = parents.map((row) => row.id as number);
      return nestTags(parents, await rows(sql.children(ids.length), ids));
    },
    deep: async (after) => {
      const ids = (await rows(sql.ids, [after])).map((row) => row.id as number);
      return nestComments(ids, await rows(sql.newestOfAll, ids));
    },
    filter: (tag) => rows(sql.filter, [tag]),
    create: async (draft) => articleToWire(await create(draft)),
    createMany: async (drafts) => createMany(drafts.flatMap(draftValues)),
  };
};

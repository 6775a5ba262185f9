/** The floor on MySQL and MariaDB: one pool of ten, everything prepared, rows decoded by the driver. */
import { createPool, type PoolConnection, type ResultSetHeader, type RowDataPacket } from 'mysql2';
import type { Draft, FloorStore, NestedDraft } from './floor.js';
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
  const createNested = async (draft: NestedDraft): Promise<Row> => {
    const connection = await new Promise<PoolConnection>((resolve, reject) => {
      pool.getConnection((error, opened) => (error ? reject(error) : resolve(opened)));
    });
    const run = (text: string, values: Value[]) =>
      new Promise<ResultSetHeader>((resolve, reject) => {
        connection.execute<ResultSetHeader>(text, values, (error, done) =>
          error ? reject(error) : resolve(done),
        );
      });
    try {
      await run('START TRANSACTION', []);
      const { insertId: id } = await run(sql.create, draftValues(draft));
      const { notes, links } = nestedValues(id, draft);
      await run(sql.notes, notes);
      await run(sql.links, links);
      await run('COMMIT', []);
      return { id };
    } catch (error) {
      await run('ROLLBACK', []);
      throw error;
    } finally {
      connection.release();
    }
  };
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
    createNested,
    aggregate: async (...values) => (await rows(sql.aggregate, values)).map(groupToWire),
    pages: (after) => readPages(after, 'SIGNED', (_, text, ids) => rows(text, ids)),
    cursor: async (after) => (await rows(sql.cursor, [after])).map(articleToWire),
    async *export(after) {
      for await (const row of pool.query(sql.export, [after]).stream()) yield articleToWire(row as Row);
    },
  };
};

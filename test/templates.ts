/** Databases with the system tables of a fresh installation: made once a run, then copied. */
import { join } from 'node:path';
import { createConnection, type RowDataPacket } from 'mysql2/promise';
import { introspect } from '../generator/introspection/index.js';
import { loadSpec } from '../generator/spec/load.js';
import { packageRoot } from '../runtime/config/package.js';
import { openDatabase } from '../runtime/databases/open.js';
import { bootstrap } from '../runtime/schema/bootstrap.js';
import { catalogReader, createPlace, type Place, type Template, type TestDialect } from './databases.js';
import { adminToken } from './runtime/harness/rows.js';
import { sharedRoot, sharedText } from './shared.js';

export const systemTemplate = async (dialect: TestDialect): Promise<Template> => ({
  source: await sharedText(`template-${dialect}`, () => makeTemplate(dialect)),
});

const makeTemplate = async (dialect: TestDialect): Promise<string> => {
  const place = await createPlace(dialect);
  await createSystemTables(place.url);
  return sources[dialect](place);
};

const createSystemTables = async (url: string): Promise<void> => {
  const database = await openDatabase({ url });
  await bootstrap({
    database,
    spec: await loadSpec([join(packageRoot, 'spec')]),
    introspect: () => introspect(catalogReader(database), { include: ['svc_*'] }),
    admin: { email: 'admin@example.com', token: adminToken, password: null },
    log: () => undefined,
  });
  await database.close();
};

/** The name of the database itself: it goes with the server, or at the end of the run. */
const keepPostgres = async ({ url }: Place): Promise<string> => new URL(url).pathname.slice(1);

/** The path of a copy: all in one file, nothing in a log beside it. */
const copySqlite = async ({ execute, remove }: Place): Promise<string> => {
  const path = join(sharedRoot(), 'template.db');
  await execute(`vacuum into '${path}'`);
  await remove();
  return path;
};

/** A script of its tables and rows. */
const dumpMysql = async ({ url, remove }: Place): Promise<string> => {
  const connection = await createConnection({ uri: url, dateStrings: true, jsonStrings: true });
  const read = async (sql: string) => (await connection.query<RowDataPacket[]>(sql))[0];
  const statements = ['set foreign_key_checks = 0'];
  for (const found of await read('show tables')) {
    const name = connection.escapeId(String(Object.values(found)[0]));
    const [created] = await read(`show create table ${name}`);
    statements.push(String(created?.['Create Table']));
    for (const row of await read(`select * from ${name}`))
      statements.push(connection.format(`insert into ${name} set ?`, [row]));
  }
  await connection.end();
  await remove();
  return statements.join(';\n');
};

const sources: Readonly<Record<TestDialect, (place: Place) => Promise<string>>> = {
  sqlite: copySqlite,
  mariadb: dumpMysql,
  mysql: dumpMysql,
  postgres: keepPostgres,
};

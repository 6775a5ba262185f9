/** Creates databases with the system tables of a new installation, once per run, to be copied by the tests. */
import { join } from 'node:path';
import { createConnection, type RowDataPacket } from 'mysql2/promise';
import { introspect } from '../generator/introspection/index.js';
import { loadSpec } from '../generator/spec/load.js';
import { packageRoot } from '../runtime/config/package.js';
import { openDatabase } from '../runtime/databases/open.js';
import { bootstrap } from '../runtime/schema/bootstrap.js';
import {
  catalogReader,
  createLocation,
  type DatabaseLocation,
  type Template,
  type TestDialect,
} from './databases.js';
import { adminToken } from './runtime/harness/rows.js';
import { sharedRoot, sharedText } from './shared.js';
import { plainTokens } from './runtime/harness/plain-tokens.js';

export const systemTemplate = async (dialect: TestDialect): Promise<Template> => ({
  source: await sharedText(`template-${dialect}`, () => makeTemplate(dialect)),
});

const makeTemplate = async (dialect: TestDialect): Promise<string> => {
  const place = await createLocation(dialect);
  await createSystemTables(place.url);
  return sources[dialect](place);
};

const createSystemTables = async (url: string): Promise<void> => {
  const database = await openDatabase({ url });
  await bootstrap({
    database,
    spec: await loadSpec([join(packageRoot, 'spec')]),
    introspect: () => introspect(catalogReader(database), { include: ['svc_*'] }),
    staticTokens: plainTokens,
    admin: { email: 'admin@example.com', token: adminToken, password: null },
    log: () => undefined,
  });
  await database.close();
};

/** Returns the name of the database, which is dropped at the end of the run. */
const postgresTemplate = async ({ url }: DatabaseLocation): Promise<string> => new URL(url).pathname.slice(1);

/** Returns the path of a copy in a single file, without a write-ahead log. */
const copySqlite = async ({ execute, remove }: DatabaseLocation): Promise<string> => {
  const path = join(sharedRoot(), 'template.db');
  await execute(`vacuum into '${path}'`);
  await remove();
  return path;
};

/** Returns a script that creates its tables and rows. */
const dumpMysql = async ({ url, remove }: DatabaseLocation): Promise<string> => {
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

const sources: Readonly<Record<TestDialect, (place: DatabaseLocation) => Promise<string>>> = {
  sqlite: copySqlite,
  mariadb: dumpMysql,
  mysql: dumpMysql,
  postgres: postgresTemplate,
};

/**
 * Requests, the statements they become, and the answers: `cases/NAME.http` with `NAME.<dialect>.sql` of every
 * dialect and one `NAME.json`. `UPDATE=plans npx vitest run test/runtime/plans` writes them anew.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiError, ApiErrors } from '../../../contract/errors.js';
import type { ApiRequest } from '../../../runtime/request/api-request.js';
import { respondError } from '../../../runtime/response/respond.js';
import { loadDialect } from '../../../runtime/databases/open.js';
import { createTestDatabase, dialects, type TestDatabase } from '../../databases.js';
import { handleItems, type Handle } from '../harness/items.js';
import { createRecords, openAccess } from './records.js';
import { createRecorder, type Recorder } from './recorder.js';
import { toStoredToken } from '../harness/plain-tokens.js';
import { unboundedServices } from '../harness/unbounded-services.js';

const folder = join(import.meta.dirname, 'cases');
const names = readdirSync(folder)
  .filter((file) => file.endsWith('.http'))
  .map((file) => file.slice(0, -'.http'.length))
  .sort();
const isUpdate = process.env.UPDATE === 'plans' && process.env.CI === undefined;
const data = readFileSync(join(import.meta.dirname, 'data.sql'), 'utf8');

/** Comments, a line `METHOD PATH`, a line `As: NAME`, an empty line, the body. */
const readRequest = (name: string): ApiRequest => {
  const text = readFileSync(join(folder, `${name}.http`), 'utf8').replaceAll(/^#.*\n/gm, '');
  const [head = '', ...body] = text.split('\n\n');
  const [, method = '', path = '', query = '', who = ''] =
    /^(\w+) ([^?\s]+)\??(.*)\nAs: (\w+)\s*$/.exec(head) ?? [];
  const headers = { authorization: `Bearer ${who}`, 'content-type': 'application/json' };
  return {
    id: name,
    method,
    path,
    query,
    headers,
    address: () => '127.0.0.1',
    isSecure: () => false,
    isUntrustedOrigin: () => false,
    closeSignal: () => new AbortController().signal,
    onClose: () => undefined,
    stream: () => {
      throw new Error('no stream');
    },
    body: async () => Buffer.from(body.join('\n\n').trim()),
  };
};

/** A list of texts and numbers alone goes into one line. */
const plainList = /\[\n\s+(?:[^[\]{}\n]+\n\s*)+\]/g;
const joinLines = (list: string): string =>
  list.replaceAll(/(?<=\[)\s+|\s+(?=\])/g, '').replaceAll(/\n\s+/g, ' ');

const answer = async (handle: Handle, request: ApiRequest): Promise<string> => {
  const { status, body } = await handle(request).catch(respond);
  const parsed: unknown = body === null ? null : JSON.parse(String(body));
  return `${JSON.stringify({ status, body: parsed }, null, 2).replaceAll(plainList, joinLines)}\n`;
};

/** Refusals are answers; anything else is a fault. */
const respond = (error: unknown) => {
  if (error instanceof ApiError || error instanceof ApiErrors) return respondError(error);
  throw error;
};

/** `equal`, or both texts. */
const compare = (file: string, content: string): string => {
  const path = join(folder, file);
  if (isUpdate) writeFileSync(path, content);
  const stored = existsSync(path) ? readFileSync(path, 'utf8') : 'nothing';
  return stored === content ? 'equal' : `${file} is\n${content}\nand was\n${stored}`;
};

const schemas = {
  sqlite: 'schema.sqlite.sql',
  mariadb: 'schema.mysql.sql',
  mysql: 'schema.mysql.sql',
  postgres: 'schema.postgres.sql',
};

const recount = 'alter table album auto_increment = 1; alter table artist auto_increment = 1';

/** Made keys begin behind those of the data. */
const restarts = {
  sqlite: 'delete from sqlite_sequence',
  mariadb: recount,
  mysql: recount,
  postgres: 'alter table album alter id restart with 5; alter table artist alter id restart with 5',
};

/** The table that every guarded write reads. */
const accessVersion = [
  'create table svc_access_version (id integer not null primary key, version bigint not null)',
  'insert into svc_access_version (id, version) values (1, 1)',
];

describe.each(dialects)('plans on %s', (dialect) => {
  let place: TestDatabase;
  let recorder: Recorder;
  let handle: Handle;

  beforeAll(async () => {
    place = await createTestDatabase(dialect, { file: join(import.meta.dirname, schemas[dialect]) });
    for (const text of accessVersion) await place.database.write({ text, values: [] });
    recorder = createRecorder(place.database);
    const limits = { fallback: 100, maximum: null, nestedRows: null };
    handle = handleItems({
      registry: createRecords(),
      database: recorder.database,
      dialect: await loadDialect(dialect),
      access: openAccess(),
      limits,
      publicLimits: limits,
      maxDepth: 10,
      ...unboundedServices,
      toStoredToken,
      observe: () => undefined,
      tagOf: async () => null,
    });
  });

  afterAll(() => place.drop());

  it.each(names)('run the recorded statements and return the recorded response: %s', async (name) => {
    await place.execute(`${data}${restarts[dialect]}`);
    recorder.take();
    const answered = await answer(handle, readRequest(name));
    expect(compare(`${name}.${dialect}.sql`, recorder.take())).toBe('equal');
    expect(compare(`${name}.json`, answered)).toBe('equal');
  });
});

it('has no file without a case', () => {
  const known = new Set(
    names.flatMap((name) =>
      ['http', 'json', ...dialects.map((dialect) => `${dialect}.sql`)].map((kind) => `${name}.${kind}`),
    ),
  );
  expect(readdirSync(folder).filter((file) => !known.has(file))).toEqual([]);
});

/** REST and GraphQL return the same of random lists, for an administrator and for users. `LONG=1` asks for many more. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import * as fc from 'fast-check';
import { buildSchema, type GraphQLObjectType } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dialectsOf } from '../../databases.js';
import { startTestServer, type TestServer } from '../server-harness.js';
import { archiveFiles, fillArchive, readArchiveSchema, type Archive } from './archive.js';
import { patience } from './pipeline.js';
import { parametersOn, selectionOn, toGraphql, toRest, withoutPrefixes, withTextKeys } from './selections.js';

const dialects = dialectsOf(import.meta.url);

const numRuns = process.env.LONG === undefined ? 60 : 3_000;

/** Rules of two policies: hidden rows, hidden columns, and cells that one of them shows. */
const access = {
  policies: {
    Reader: [
      {
        collection: 'letter',
        permissions: { pages: { _lt: 12 } },
        fields: ['id', 'title', 'author', 'replies', 'reply_to', 'topics'],
      },
      { collection: 'letter', permissions: { open: { _eq: true } } },
      { collection: 'person', permissions: { active: { _eq: true } } },
      { collection: 'topic', fields: ['id', 'name', 'children', 'letters', 'position'] },
      { collection: 'letter_topic' },
      { collection: 'pin' },
    ].map((permission) => Object.assign({ action: 'read' as const, fields: ['*'] }, permission)),
  },
  users: { reader: { policies: ['Reader'] } },
};

const writeSpec = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-archive-'));
  for (const [path, content] of Object.entries(archiveFiles)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
  return folder;
};

describe.each(dialects)('random lists on %s', (dialect) => {
  let server: TestServer;
  let archive: Archive;
  let spec: string;
  beforeAll(async () => {
    spec = await writeSpec();
    server = await startTestServer({ dialect, sql: await readArchiveSchema(dialect), spec, access });
    const { database, databaseUrl: url } = server;
    archive = await fillArchive(dialect, { database, url, drop: async () => undefined });
  });
  afterAll(async () => {
    await archive.close();
    await server.close();
    await rm(spec, { recursive: true });
  });

  it.each(['admin', 'reader'])('are the same for %s', { timeout: patience }, async (as) => {
    const { text } = await server.request('GET', '/server/specs/graphql/items', { as });
    const schema = buildSchema(text);
    const roots = schema.getQueryType()?.getFields() ?? {};
    const { registry } = archive;
    const names = [...registry.collections.keys()].filter((name) => roots[name] !== undefined);
    const question = fc.constantFrom(...names).chain((name) =>
      fc.record({
        name: fc.constant(name),
        query: parametersOn(name, registry),
        selected: selectionOn(schema.getType(name) as GraphQLObjectType, { registry, depth: 2 }),
      }),
    );
    let [compared, rows] = [0, 0];
    const isSame = fc.asyncProperty(question, async ({ name, query, selected }) => {
      const parameters = toRest(selected, query);
      const rest = await server.request('SEARCH', `/items/${name}`, { as, body: { query: parameters } });
      const root = roots[name];
      if (root === undefined) throw new Error(`no field ${name}`);
      const document = toGraphql(root, selected, query);
      const graphql = await server.request('POST', '/graphql', { as, body: document });
      // the schema of the caller lacks what REST refuses
      const codes = graphql.codes.map((code) => (code === 'GRAPHQL_VALIDATION' ? 'FORBIDDEN' : code));
      const label = JSON.stringify([name, parameters, document, graphql.text.slice(0, 500)]);
      expect([label, codes[0]]).toEqual([label, rest.codes[0]]);
      if (rest.status !== 200) return;
      compared += 1;
      rows += (rest.data as unknown[]).length;
      const data = (graphql.data as Readonly<Record<string, unknown>>)[name];
      const found = withoutPrefixes(data, names);
      expect([label, found]).toEqual([label, withTextKeys(rest.data, found)]);
    });
    await fc.assert(isSame, { seed: 21, numRuns });
    expect(compared).toBeGreaterThan(numRuns / 2);
    expect(rows).toBeGreaterThan(numRuns);
  });
});

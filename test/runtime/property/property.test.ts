/**
 * Random queries: what the pipeline answers, by compiled plans, is what the reference works out of whole tables.
 * `LONG=1` runs many more of them.
 */
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Access } from '../../../runtime/access/access.js';
import type { Collection } from '../../../runtime/collection.js';
import { ApiError } from '../../../runtime/errors.js';
import { createHandle, type Handle } from '../../../runtime/handle.js';
import type { ApiRequest } from '../../../runtime/request/api-request.js';
import { loadDialect } from '../../../runtime/sql/dialects.js';
import { dialects } from '../../databases.js';
import { accessOf, administrator, adminToken, scenarioOn, tokens, viewerOf } from './access.js';
import { openArchive, type Archive } from './archive.js';
import { queryOn, ways, writeRequest } from './queries.js';
import { answerItem, answerList, Forbidden, type Expected, type Viewer } from './reference.js';

const numRuns = process.env.LONG === undefined ? 150 : 3_000;
const fallback = 6;
const depth = 2;

const ask = async (handle: Handle, request: ApiRequest): Promise<unknown> => {
  try {
    const response = await handle(request);
    return JSON.parse(String(response?.body)) as unknown;
  } catch (error) {
    if (error instanceof ApiError) return error.code;
    throw error;
  }
};

const expected = (answer: () => Expected): unknown => {
  try {
    return JSON.parse(JSON.stringify(answer())) as unknown;
  } catch (error) {
    if (error instanceof Forbidden) return 'FORBIDDEN';
    throw error;
  }
};

describe.each(dialects)('on %s', (dialect) => {
  let archive: Archive;
  let open: (access: Access) => Handle;

  beforeAll(async () => {
    archive = await openArchive(dialect);
    const limits = { fallback, most: null };
    const services = { registry: archive.registry, database: archive.database, dialect: await loadDialect(dialect) };
    open = (access) => createHandle({ ...services, access, limits, publicLimits: limits, maxDepth: 10 });
  });

  afterAll(() => archive.close());

  const worldOf = (viewer: Viewer) => ({ archive, viewer, fallback });
  const collectionOf = (index: number): Collection => [...archive.registry.collections.values()][index] as Collection;
  const anyCollection = fc.nat({ max: 6 });
  const way = fc.constantFrom(...ways);

  it('Objection reads every row as it was put in', () => {
    for (const [name, rows] of archive.made) {
      const read = archive.rows.get(name)?.map((row) => JSON.stringify(row));
      expect({ name, rows: read?.toSorted() }).toEqual({ name, rows: rows.map((row) => JSON.stringify(row)).toSorted() });
    }
  });

  it('an administrator is answered what the whole tables say', async () => {
    const handle = open(accessOf({ policies: [], holders: [] }));
    const question = anyCollection.chain((index) => fc.tuple(fc.constant(index), queryOn(collectionOf(index), depth), way));
    const isSame = fc.asyncProperty(question, async ([index, query, sent]) => {
      const collection = collectionOf(index);
      const request = writeRequest(`/items/${collection.name}`, query, { way: sent, token: adminToken });
      expect(await ask(handle, request)).toEqual(expected(() => answerList(collection, query, worldOf(administrator))));
    });
    await fc.assert(isSame, { seed: 1, numRuns });
  });

  it('everybody is answered what their policies leave of it', async () => {
    const question = anyCollection.chain((index) => fc.tuple(fc.constant(index), queryOn(collectionOf(index), depth)));
    const isSame = fc.asyncProperty(scenarioOn(archive.registry), fc.array(question, { minLength: 1, maxLength: 3 }), async (scenario, questions) => {
      const handle = open(accessOf(scenario));
      for (const [index, query] of questions) {
        const collection = collectionOf(index);
        for (const token of tokens) {
          const request = writeRequest(`/items/${collection.name}`, query, { way: 'body', token });
          expect(await ask(handle, request)).toEqual(expected(() => answerList(collection, query, worldOf(viewerOf(scenario, token)))));
        }
      }
    });
    await fc.assert(isSame, { seed: 2, numRuns: Math.ceil(numRuns / 3) });
  });
});

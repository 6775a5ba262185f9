/**
 * Random queries: what the pipeline answers, by compiled plans, is what the reference works out of whole tables.
 * `LONG=1` runs many more of them.
 */
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Access } from '../../../runtime/access/access.js';
import type { Collection, ToMany, ToOne } from '../../../contract/collection.js';
import { ApiError, ApiErrors } from '../../../contract/errors.js';
import type { Handle } from '../harness/items.js';
import type { ApiRequest } from '../../../runtime/request/api-request.js';
import { dialectsOf } from '../../databases.js';
import { accessOf, administrator, adminToken, scenarioOn, tokens, viewerOf } from './access.js';
import { fetchLinked, openArchive, type Archive } from './archive.js';
import { fallback, openPipeline, patience } from './pipeline.js';
import { queryOn, ways, writeQuery, writeRequest } from './queries.js';
import { answerItem, answerList, expected } from './reference.js';
import { relatedRow, relatedRows, type Viewer } from './visible.js';

const dialects = dialectsOf(import.meta.url);

const numRuns = process.env.LONG === undefined ? 75 : 3_000;
/** Number of pairs of a policy set and a query. */
const pairs = process.env.LONG === undefined ? 500 : 10_000;
const together = 3;
const depth = 2;

const ask = async (handle: Handle, request: ApiRequest): Promise<unknown> => {
  try {
    const response = await handle(request);
    return JSON.parse(String(response.body)) as unknown;
  } catch (error) {
    if (error instanceof ApiErrors) return error.problems[0]?.code;
    if (error instanceof ApiError) return error.code;
    throw error;
  }
};

/** Objection compares keys by their spelling, the database by its collation. */
const isByText = ({ fields }: ToOne | ToMany): boolean =>
  fields.some((name) => ['home', 'place', 'folder_place'].includes(name));

/** Without the order of a list. */
const unordered = (value: unknown): unknown =>
  Array.isArray(value) ? value.map((each) => JSON.stringify(each)).toSorted() : value;

describe.each(dialects)('on %s', (dialect) => {
  let archive: Archive;
  let open: (access: Access) => Handle;

  beforeAll(async () => {
    archive = await openArchive(dialect);
    open = await openPipeline(archive);
  });

  afterAll(() => archive.close());

  const worldOf = (viewer: Viewer) => ({ archive, viewer, fallback });
  const collectionOf = (index: number): Collection =>
    [...archive.registry.collections.values()][index] as Collection;
  /** Prints itself as a client would send it. */
  const question = fc.nat({ max: 7 }).chain((index) =>
    queryOn(collectionOf(index), depth).map((query) => ({
      collection: collectionOf(index),
      query,
      [fc.toStringMethod]: () => `${collectionOf(index).name} ${JSON.stringify(writeQuery(query))}`,
    })),
  );
  const way = fc.constantFrom(...ways);
  const keyOf = (collection: Collection): fc.Arbitrary<string> =>
    fc
      .constantFrom(...(archive.rows.get(collection.name) ?? []))
      .map((row) => collection.key.map(({ name }) => String(row[name])).join());

  it('Objection reads every row as inserted', () => {
    for (const [name, rows] of archive.made) {
      const read = archive.rows.get(name)?.map((row) => JSON.stringify(row));
      expect({ name, rows: read?.toSorted() }).toEqual({
        name,
        rows: rows.map((row) => JSON.stringify(row)).toSorted(),
      });
    }
  });

  it('Objection relates rows like the reference', async () => {
    const world = worldOf(administrator);
    for (const collection of archive.registry.collections.values()) {
      for (const relation of collection.relations.values()) {
        if (relation.kind === 'manyToAny' || isByText(relation)) continue;
        const linked = await fetchLinked(archive, collection, relation);
        const rows = archive.rows.get(collection.name) ?? [];
        const place = { world, collection };
        const wanted = rows.map((row) =>
          relation.kind === 'manyToOne'
            ? relatedRow(relation, row, place)
            : relatedRows(relation, row, place),
        );
        expect({ relation: relation.name, linked: linked.map(unordered) }).toEqual({
          relation: relation.name,
          linked: wanted.map(unordered),
        });
      }
    }
  });

  it('responses to an administrator equal the reference', { timeout: patience }, async () => {
    const handle = open(accessOf({ policies: [], holders: [] }));
    const isSame = fc.asyncProperty(question, way, async ({ collection, query }, sent) => {
      const request = writeRequest(`/items/${collection.name}`, query, { way: sent, token: adminToken });
      expect(await ask(handle, request)).toEqual(
        expected(() => answerList(collection, query, worldOf(administrator))),
      );
    });
    await fc.assert(isSame, { seed: 1, numRuns });
  });

  it(
    'an item is found by its key, and forbidden and missing ones are indistinguishable',
    { timeout: patience },
    async () => {
      const asked = question.chain((each) => fc.tuple(fc.constant(each), keyOf(each.collection)));
      const isSame = fc.asyncProperty(
        scenarioOn(archive.registry),
        asked,
        async (scenario, [{ collection, query }, key]) => {
          const handle = open(accessOf(scenario));
          for (const token of [adminToken, ...tokens]) {
            const path = `/items/${collection.name}/${key.split(',').map(encodeURIComponent).join()}`;
            const world = worldOf(token === adminToken ? administrator : viewerOf(scenario, token));
            const answer = await ask(handle, writeRequest(path, query, { way: 'json', token }));
            expect(answer).toEqual(expected(() => answerItem(collection, { key, query }, world)));
          }
        },
      );
      await fc.assert(isSame, { seed: 3, numRuns: Math.ceil(numRuns / 3) });
    },
  );

  it('responses to users equal the reference limited by their policies', { timeout: patience }, async () => {
    const questions = fc.array(question, { minLength: together, maxLength: together });
    const isSame = fc.asyncProperty(scenarioOn(archive.registry), questions, async (scenario, asked) => {
      const handle = open(accessOf(scenario));
      for (const { collection, query } of asked) {
        for (const token of tokens) {
          const request = writeRequest(`/items/${collection.name}`, query, { way: 'body', token });
          const world = worldOf(viewerOf(scenario, token));
          expect(await ask(handle, request)).toEqual(expected(() => answerList(collection, query, world)));
        }
      }
    });
    await fc.assert(isSame, { seed: 2, numRuns: Math.ceil(pairs / (together * tokens.length)) });
  });
});

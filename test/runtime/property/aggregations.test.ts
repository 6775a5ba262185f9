/**
 * Random aggregations and calls of functions under random policies, against the reference; and what a write answers,
 * against what its caller may read. `LONG=1` runs many more.
 */
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Access } from '../../../runtime/access/access.js';
import type { Collection } from '../../../contract/collection.js';
import { ApiError, ApiErrors } from '../../../contract/errors.js';
import type { Handle } from '../harness/items.js';
import type { ApiRequest } from '../../../runtime/request/api-request.js';
import { dialectsOf } from '../../databases.js';
import { accessOf, administrator, adminToken, scenarioOn, tokens, viewerOf } from './access.js';
import { aggregateOn, answerAggregate, writeAggregate } from './aggregations.js';
import { openArchive, type Archive } from './archive.js';
import { answerCalls, callsQueryOn, writeCalls } from './calls.js';
import { fallback, openPipeline, patience } from './pipeline.js';
import { parametersRequest, queryOn, writeRequest } from './queries.js';
import { answerItem, expected } from './reference.js';
import type { Row } from './rows.js';
import { relatedRows, type Place, type World } from './visible.js';

const dialects = dialectsOf(import.meta.url);

/** Number of pairs of a policy set and a query. */
const pairs = process.env.LONG === undefined ? 500 : 10_000;
const together = 4;

const ask = async (handle: Handle, request: ApiRequest): Promise<unknown> => {
  try {
    const { status, body } = await handle(request);
    return body === null ? status : (JSON.parse(String(body)) as unknown);
  } catch (error) {
    if (error instanceof ApiErrors) return error.problems[0]?.code;
    if (error instanceof ApiError) return error.code;
    throw error;
  }
};

/** A query as it is sent, and its answer. */
interface Question {
  readonly collection: Collection;
  readonly parameters: Record<string, unknown>;
  answer(world: World): unknown;
}

const questionOn = (collection: Collection): fc.Arbitrary<Question> => {
  const aggregated = aggregateOn(collection).map((query): Question => ({
    collection,
    parameters: writeAggregate(query),
    answer: (world) => expected(() => answerAggregate(collection, query, world)),
  }));
  const called = callsQueryOn(collection)?.map((query): Question => ({
    collection,
    parameters: writeCalls(query),
    answer: (world) => expected(() => answerCalls(collection, query, world)),
  }));
  return called === undefined ? aggregated : fc.oneof(aggregated, called);
};

/** Asks, and expects the answer of the reference, which it returns. */
const expectAnswer = async (
  { collection, parameters, answer }: Question,
  { handle, token, world }: { readonly handle: Handle; readonly token: string | null; readonly world: World },
): Promise<unknown> => {
  const request = parametersRequest(`/items/${collection.name}`, parameters, { way: 'body', token });
  const found = await ask(handle, request);
  const label = `${collection.name} ${JSON.stringify(parameters)}`;
  const wanted = answer(world);
  expect([label, found]).toEqual([label, wanted]);
  return wanted;
};

/** A payload that writes the visible items of every list as they are. */
const entriesOf = (row: Row, place: Place): Record<string, unknown> =>
  Object.fromEntries(
    [...place.collection.relations.values()].flatMap((relation) => {
      if (relation.kind !== 'oneToMany') return [];
      const items = relatedRows(relation, row, place) ?? [];
      if (items.length === 0) return [];
      const names = relation.collection.key.map(({ name }) => name);
      const keys = items.map((item) => Object.fromEntries(names.map((name) => [name, item[name]])));
      return [[relation.name, { create: [], update: keys, delete: [] }]];
    }),
  );

describe.each(dialects)('on %s', (dialect) => {
  let archive: Archive;
  let open: (access: Access) => Handle;

  beforeAll(async () => {
    archive = await openArchive(dialect);
    open = await openPipeline(archive);
  });

  afterAll(() => archive.close());

  const worldOf = (viewer: World['viewer']): World => ({ archive, viewer, fallback });

  const question = fc
    .nat({ max: 7 })
    .chain((index) => questionOn([...archive.registry.collections.values()][index] as Collection));

  it('aggregations and calls of an administrator equal the reference', { timeout: patience }, async () => {
    const handle = open(accessOf({ policies: [], holders: [] }));
    expect.hasAssertions();
    const isSame = fc.asyncProperty(question, async (asked) => {
      await expectAnswer(asked, { handle, token: adminToken, world: worldOf(administrator) });
    });
    await fc.assert(isSame, { seed: 11, numRuns: Math.ceil(pairs / 5) });
  });

  it(
    'aggregations and calls of users equal the reference limited by their policies',
    { timeout: patience },
    async () => {
      const questions = fc.array(question, { minLength: together, maxLength: together });
      let answered = 0;
      const isSame = fc.asyncProperty(scenarioOn(archive.registry), questions, async (scenario, asked) => {
        const handle = open(accessOf(scenario));
        for (const each of asked) {
          for (const token of tokens) {
            const wanted = await expectAnswer(each, {
              handle,
              token,
              world: worldOf(viewerOf(scenario, token)),
            });
            if (wanted !== 'FORBIDDEN') answered += 1;
          }
        }
      });
      await fc.assert(isSame, { seed: 12, numRuns: Math.ceil(pairs / (together * tokens.length)) });
      expect(answered).toBeGreaterThan(pairs / 4);
    },
  );

  it('a write answers what its caller may read', { timeout: patience }, async () => {
    const asked = fc.nat({ max: 7 }).chain((index) => {
      const collection = [...archive.registry.collections.values()][index] as Collection;
      const row = fc.constantFrom(...(archive.rows.get(collection.name) ?? []));
      return fc.record({
        collection: fc.constant(collection),
        fields: queryOn(collection, 2).map(({ fields = ['*'] }) => fields),
        row,
        isNested: fc.boolean(),
      });
    });
    let [answered, nested] = [0, 0];
    const isSame = fc.asyncProperty(
      scenarioOn(archive.registry),
      fc.array(asked, { minLength: together, maxLength: together }),
      async (scenario, questions) => {
        const handle = open(accessOf(scenario, { mayUpdate: [...archive.registry.collections.keys()] }));
        for (const { collection, fields, row, isNested } of questions) {
          const key = collection.key.map(({ name }) => String(row[name])).join();
          for (const token of tokens) {
            const world = worldOf(viewerOf(scenario, token));
            const payload = isNested ? entriesOf(row, { collection, world }) : {};
            const path = `/items/${collection.name}/${key.split(',').map(encodeURIComponent).join()}`;
            const read = writeRequest(path, { fields }, { way: 'json', token });
            const request: ApiRequest = {
              ...read,
              method: 'PATCH',
              query: `${read.query}&dry_run=true`,
              body: async () => Buffer.from(JSON.stringify(payload)),
            };
            const found = await ask(handle, request);
            const wanted = expected(() => answerItem(collection, { key, query: { fields } }, world));
            // 204 where the caller may not read the item
            const isUnread = wanted === 'FORBIDDEN' && (found === 204 || found === 'FORBIDDEN');
            const label = [collection.name, key, fields, payload];
            expect([label, isUnread ? wanted : found]).toEqual([label, wanted]);
            if (!isUnread) answered += 1;
            if (!isUnread && Object.keys(payload).length > 0) nested += 1;
          }
        }
      },
    );
    await fc.assert(isSame, { seed: 13, numRuns: Math.ceil(pairs / (together * tokens.length * 2)) });
    expect(answered).toBeGreaterThan(pairs / 25);
    expect(nested).toBeGreaterThan(pairs / 250);
  });
});

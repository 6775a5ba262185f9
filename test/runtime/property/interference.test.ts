/** Hidden data does not affect any response: values, order, counts, codes and messages. */
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Access } from '../../../runtime/access/access.js';
import { ApiError, ApiErrors } from '../../../contract/errors.js';
import type { Handle } from '../harness/items.js';
import { dialectsOf } from '../../databases.js';
import { accessOf, scenarioOn, tokens, viewerOf } from './access.js';
import { openArchive, type Archive } from './archive.js';
import { hiddenChanges, withChanges } from './hidden.js';
import { fallback, openPipeline, patience } from './pipeline.js';
import { parametersRequest, queryOn, writeQuery } from './queries.js';
import { anyAggregateOn } from './aggregations.js';
import { callsQueryOn, writeCalls } from './calls.js';

const dialects = dialectsOf(import.meta.url);

const numRuns = process.env.LONG === undefined ? 10 : 250;
const questionsEach = 12;

/** Everything that goes out. */
const ask = async (handle: Handle, request: Parameters<Handle>[0]): Promise<unknown> => {
  try {
    return String((await handle(request)).body);
  } catch (error) {
    if (error instanceof ApiErrors) return error.problems.map(({ message, details }) => [message, details]);
    if (error instanceof ApiError) return [error.code, error.message, error.details];
    throw error;
  }
};

describe.each(dialects)('hidden values on %s', (dialect) => {
  let archive: Archive;
  let open: (access: Access) => Handle;

  beforeAll(async () => {
    archive = await openArchive(dialect);
    open = await openPipeline(archive);
  });

  afterAll(() => archive.close());

  it(
    'do not change any response',
    async () => {
      let changed = 0;
      const question = fc
        .constantFrom(...archive.registry.collections.values())
        .chain((collection) =>
          fc
            .oneof(
              queryOn(collection, 2).map(writeQuery),
              anyAggregateOn(collection),
              callsQueryOn(collection)?.map(writeCalls) ?? fc.constant({}),
            )
            .map((parameters) => ({ path: `/items/${collection.name}`, parameters })),
        );
      const questions = fc.array(question, { minLength: questionsEach, maxLength: questionsEach });
      const isSame = fc.asyncProperty(
        scenarioOn(archive.registry),
        questions,
        fc.constantFrom(...tokens),
        async (scenario, asked, token) => {
          const handle = open(accessOf(scenario));
          const requests = asked.map(({ path, parameters }) =>
            parametersRequest(path, parameters, { way: 'body', token }),
          );
          const askAll = (): Promise<unknown[]> => Promise.all(requests.map((each) => ask(handle, each)));
          const changes = hiddenChanges({ archive, viewer: viewerOf(scenario, token), fallback });
          const before = await askAll();
          changed += changes.length;
          expect(await withChanges(archive, changes, askAll)).toEqual(before);
        },
      );
      await fc.assert(isSame, { seed: 4, numRuns, endOnFailure: true });
      expect(changed).toBeGreaterThan(numRuns);
    },
    patience,
  );
});

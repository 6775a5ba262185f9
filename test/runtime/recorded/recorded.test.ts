/** The recorded contract: every case in order, on every database. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dialectsOf } from '../../databases.js';
import { stopClock } from '../harness/clock.js';
import type { TestServer } from '../server-harness.js';
import { groups, readCases, runCase } from './cases.js';
import type { Bindings } from './compare.js';
import { restoreMuseum, startMuseum } from './museum.js';

const dialects = dialectsOf(import.meta.url);

describe.each(dialects)('the recorded cases on %s', (dialect) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startMuseum(dialect);
  });
  afterAll(() => server.close());

  // a case reads what those before it wrote
  for (const group of groups)
    describe(`${group}`, { shuffle: false }, () => {
      const bindings: Bindings = new Map();
      if (group === 'auth') stopClock();
      beforeAll(() => restoreMuseum(server));

      for (const recorded of readCases(group)) {
        it(`${recorded.name}`, async () => {
          if (recorded.restore === true) await restoreMuseum(server);
          expect((await runCase(recorded, server, bindings)).join('\n')).toBe('');
        });
      }
    });
});

/** Diffs of an attacker: whatever is in one, the answer is a refusal that changes nothing, or an exact change. `LONG=1`: 2 000. */
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiError, ApiErrors } from '../../../contract/errors.js';
import type { Snapshot } from '../../../runtime/schema/snapshot/types.js';
import { dialectsOf, sampleDialects } from '../../databases.js';
import { startTestServer } from '../server-harness.js';
import { createPlace, type Place } from './places.js';
import { snapshotArbitrary } from './random-schemas.js';

const dialects = dialectsOf(import.meta.url);

const runs = process.env.LONG === undefined ? 12 : 500;

const hostile: readonly unknown[] = [
  '0); drop table svc_users; --',
  "'; create table pwned (id int); --",
  'pg_sleep(9)',
  'x" cascade; drop table "svc_users',
  'x` ; drop table `svc_users',
  'svc_users',
  '__proto__',
  'a\0b',
  'x'.repeat(70_000),
  '',
  ' ',
  -1,
  2 ** 40,
  1.5,
  true,
  null,
  [],
  {},
  [[[[]]]],
  { kind: 'N', rhs: {} },
];

/** Returns a copy with the value at the n-th place replaced, counted over all values of the diff. */
const replaceAt = (value: unknown, place: { left: number }, replacement: unknown): unknown => {
  if (place.left === 0) {
    place.left -= 1;
    return replacement;
  }
  place.left -= 1;
  if (Array.isArray(value)) return value.map((item) => replaceAt(item, place, replacement));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, replaceAt(item, place, replacement)]),
  );
};

const sizeOf = (value: unknown): number => {
  if (typeof value !== 'object' || value === null) return 1;
  return 1 + Object.values(value).reduce((sum: number, item) => sum + sizeOf(item), 0);
};

describe.each(sampleDialects(import.meta.url))('over HTTP on %s', (dialect) => {
  it(
    `${runs} fuzzed snapshots are compared or refused, and change nothing`,
    async () => {
      const server = await startTestServer({ dialect });
      const send = (path: string, body?: unknown) =>
        server.request(body === undefined ? 'GET' : 'POST', path, { as: 'admin', body });
      const before = (await send('/schema/snapshot')).data as Snapshot;
      const edits = fc.array(fc.tuple(fc.nat(), fc.constantFrom(...hostile)), { minLength: 1, maxLength: 3 });
      const counts = { refused: 0, compared: 0 };
      const property = fc.asyncProperty(
        snapshotArbitrary(dialect, before),
        edits,
        async (wanted, changes) => {
          const plain: unknown = JSON.parse(JSON.stringify(wanted));
          const fuzzed = changes.reduce<unknown>(
            (snapshot, [at, replacement]) =>
              replaceAt(snapshot, { left: at % sizeOf(snapshot) }, replacement),
            plain,
          );
          const { status } = await send('/schema/diff', fuzzed ?? {});
          counts[status === 400 ? 'refused' : 'compared'] += 1;
          expect([200, 204, 400]).toContain(status);
          expect((await send('/schema/snapshot')).data).toEqual(before);
        },
      );
      await fc.assert(property, { numRuns: runs, endOnFailure: true }).finally(() => server.close());
      process.stdout.write(`${dialect}: ${counts.refused} refused, ${counts.compared} compared\n`);
    },
    runs * 10_000,
  );
});

describe.each(dialects)('on %s', (dialect) => {
  let place: Place;
  let empty: Snapshot;
  beforeAll(async () => {
    place = await createPlace(dialect);
    empty = await place.snapshot();
  });
  afterAll(() => place.drop());

  it(
    `${runs} fuzzed diffs break nothing`,
    async () => {
      const counts = { refused: 0, applied: 0 };
      const system = await place.database.query('select count(*) as n from svc_users');
      const edits = fc.array(fc.tuple(fc.nat(), fc.constantFrom(...hostile)), { minLength: 1, maxLength: 3 });
      const property = fc.asyncProperty(snapshotArbitrary(dialect, empty), edits, async (wanted, changes) => {
        const before = await place.snapshot();
        const difference = await place.diff(wanted);
        if (difference === null) return;
        const fuzzed = changes.reduce<unknown>(
          (diff, [at, replacement]) => {
            return replaceAt(diff, { left: at % sizeOf(diff) }, replacement);
          },
          JSON.parse(JSON.stringify(difference.diff)),
        );
        const failure = await place.apply({ hash: difference.hash, diff: fuzzed as never }).then(
          () => null,
          (error: unknown) => error,
        );
        const after = await place.snapshot();
        expect(after.collections.map(({ collection }) => collection)).not.toContain('pwned');
        expect(await place.database.query('select count(*) as n from svc_users')).toEqual(system);
        counts[failure === null ? 'applied' : 'refused'] += 1;
        const problems = failure instanceof ApiErrors ? failure.problems : failure === null ? [] : [failure];
        const faults = problems.filter((problem) => !(problem instanceof ApiError) || problem.status >= 500);
        expect(faults).toEqual([]);
        const isHalfway =
          failure instanceof Error && failure.message.includes('the steps before it are done');
        const kept = failure === null || isHalfway ? after : before;
        expect(after).toEqual(kept);
        expect(await place.diff(after)).toBeNull();
      });
      await fc.assert(property, { numRuns: runs, endOnFailure: true });
      process.stdout.write(`${dialect}: ${counts.refused} refused, ${counts.applied} applied exactly\n`);
    },
    runs * 10_000,
  );
});

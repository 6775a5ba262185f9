/** Malformed snapshots are refused, with at most 20 problems. */
import { expect, it } from 'vitest';
import { ApiErrors } from '../../../contract/errors.js';
import { checkSnapshot } from '../../../runtime/schema/snapshot/check.js';

const wrong = (count: number): Promise<number> =>
  checkSnapshot(
    {
      version: 1,
      svc: '1',
      vendor: 'sqlite',
      collections: [],
      fields: Array.from({ length: count }, () => 1),
      systemFields: [],
      relations: [],
    },
    { vendor: 'sqlite', force: false },
  ).then(
    () => 0,
    (error: unknown) => (error instanceof ApiErrors ? error.problems.length : 1),
  );

it.each([
  [1, 1],
  [20, 20],
  [100, 20],
])('of %i problems, %i are reported', async (count, reported) => {
  expect(await wrong(count)).toBe(reported);
});

it('collections that are there twice are reported up to the same number', async () => {
  const names = Array.from({ length: 60 }, (_, index) => `c${index % 30}`);
  const collections = names.map((collection) => ({ collection, meta: null, schema: { name: collection } }));
  const snapshot = {
    version: 1,
    svc: '1',
    vendor: 'sqlite',
    collections,
    fields: [],
    systemFields: [],
    relations: [],
  };
  const error = await checkSnapshot(snapshot, { vendor: 'sqlite', force: false }).catch(
    (reason: unknown) => reason,
  );
  expect((error as ApiErrors).problems).toHaveLength(20);
});

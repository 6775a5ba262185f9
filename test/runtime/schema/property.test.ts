/**
 * Random schemas: applying one gives exactly it, a snapshot makes the same elsewhere, and the way from one to another keeps
 * the rows. `LONG=1`: many of them.
 */
import * as fc from 'fast-check';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Snapshot } from '../../../runtime/schema/snapshot/types.js';
import { dialectsOf } from '../../databases.js';
import { createPlace, type Place } from './places.js';
import { kindsOf } from './random-kinds.js';
import { snapshotArbitrary } from './random-schemas.js';

const dialects = dialectsOf(import.meta.url);

const isLong = process.env.LONG !== undefined;
const runs = isLong ? 40 : 2;
const timeout = isLong ? 3_600_000 : 60_000;

const counts = new Map<string, number>();
const count = (what: string, by = 1): void => void counts.set(what, (counts.get(what) ?? 0) + by);
afterAll(() => {
  process.stdout.write(`${[...counts].map(([what, times]) => `${times} ${what}`).join(', ')}\n`);
});

const columnOf = (snapshot: Snapshot, collection: string, field: string) =>
  snapshot.fields.find((entry) => entry.collection === collection && entry.field === field)?.schema;

/** Makes a place one of the snapshots, whatever it was; nothing differs afterwards. */
const become = async (place: Place, wanted: Snapshot): Promise<Snapshot> => {
  await place.become(wanted);
  expect(await place.diff(wanted)).toBeNull();
  const own = await place.snapshot();
  expect(await place.diff(own)).toBeNull();
  count('applies');
  return own;
};

const namesOf = ({ fields }: Snapshot): readonly string[] =>
  fields.map(({ collection, field }) => JSON.stringify([collection, field]));

describe.each(dialects)('on %s', (dialect) => {
  let [first, second]: [Place, Place] = [undefined as never, undefined as never];
  let empty: Snapshot;
  beforeEach(async () => {
    [first, second] = [await createPlace(dialect), await createPlace(dialect)];
    empty = await first.snapshot();
  });
  afterEach(async () => {
    await first.drop();
    await second.drop();
  });

  it(
    'a snapshot of a random schema reproduces it in an empty database',
    async () => {
      const property = fc.asyncProperty(snapshotArbitrary(dialect, empty), async (wanted) => {
        await first.become(empty);
        await second.become(empty);
        const snapshot = await become(first, wanted);
        expect(await become(second, snapshot)).toEqual(snapshot);
        count('round trips');
      });
      await fc.assert(property, { numRuns: runs, endOnFailure: !isLong });
    },
    timeout,
  );

  const expectRefusal = async (failure: Error, old: Snapshot): Promise<void> => {
    expect(failure.constructor.name).toMatch(/^ApiErrors?$/);
    count('refused for their rows');
    const left = await first.snapshot();
    // data may stand against it: nothing has changed then, or what adds, which comes first where servers run
    if (!failure.message.includes('the steps before it are done')) expect(left).toEqual(old);
    else expect(namesOf(left)).toEqual(expect.arrayContaining([...namesOf(old)]));
  };

  const insertRows = async (snapshot: Snapshot): Promise<ReadonlyMap<string, number>> => {
    const { quote } = first.database;
    const sizes = new Map<string, number>();
    for (const { collection } of snapshot.collections) {
      const fields = snapshot.fields.filter(
        (entry) => entry.collection === collection && entry.schema?.is_generated === false,
      );
      // references are null, as there may be a circle of them
      const columns = fields.filter(({ field }) => field !== 'id' && !field.startsWith('ref'));
      const values = columns.map(({ schema }) => {
        const kind = kindsOf(dialect).find(({ dataType }) => dataType === schema?.data_type);
        return kind?.values[0] ?? 'null';
      });
      await first.execute(
        `insert into ${quote(collection)} (${columns.map(({ field }) => quote(field)).join(', ')}) ` +
          `values (${values.join(', ')})`,
      );
      sizes.set(collection, 1);
    }
    return sizes;
  };

  it(
    'a change from one random schema to another keeps the rows',
    async () => {
      await first.serve();
      const pair = fc.tuple(snapshotArbitrary(dialect, empty), snapshotArbitrary(dialect, empty));
      const property = fc.asyncProperty(pair, async ([before, after]) => {
        await first.become(empty);
        const old = await become(first, before);
        const sizes = await insertRows(old);
        const kept = old.fields.filter(({ collection, field, schema }) => {
          const next = columnOf(after, collection, field);
          return (
            next?.data_type === schema?.data_type &&
            schema?.is_generated === false &&
            next?.is_generated === false
          );
        });
        const read = (): Promise<unknown[]> =>
          Promise.all(
            kept.map(({ collection, field }) =>
              first.database.query(
                `select ${first.database.quote(field)} as v from ${first.database.quote(collection)}`,
              ),
            ),
          );
        const values = await read();
        const difference = await first.diff(after);
        if (difference === null) return;
        const failure = await first.apply(difference, { acceptLoss: true }).then(
          () => null,
          (error: unknown) => error as Error,
        );
        if (failure !== null) await expectRefusal(failure, old);
        expect(await read()).toEqual(values);
        if (failure !== null) return;
        expect(await first.diff(after)).toBeNull();
        for (const [collection, size] of sizes) {
          if (!after.collections.some((entry) => entry.collection === collection)) continue;
          const [row] = await first.database.query(
            `select count(*) as n from ${first.database.quote(collection)}`,
          );
          expect(Number(row?.n)).toBe(size);
        }
        count('ways with rows');
      });
      await fc.assert(property, { numRuns: runs, endOnFailure: !isLong });
    },
    timeout,
  );
});

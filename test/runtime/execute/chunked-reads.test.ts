/** Statements whose rows are taken in chunks: at the pace of who takes them, whatever their number. */
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDatabase } from '../../../runtime/databases/open.js';
import type { Database, RowLayout, TakeRows } from '../../../runtime/databases/contract.js';
import { createTestDatabase, dialects, type TestDatabase } from '../../databases.js';

const count = 150;
const text = 'x'.repeat(1_000);
const statement = {
  text: 'select a.id * 150 + b.id, ? from n a, n b order by 1',
  values: [text],
};
const megabyte = 1024 * 1024;

/** Serializes each row as its number and its text, and counts the bytes that are held. */
const createLayout = () => {
  const held = { now: 0, most: 0 };
  const layout: RowLayout = {
    tokens: [
      { kind: 'literal', bytes: Buffer.from('{"id":') },
      { kind: 'value', field: { name: 'id', type: 'integer' } },
      { kind: 'literal', bytes: Buffer.from(',"txt":') },
      { kind: 'value', field: { name: 'txt', type: 'string' } },
      { kind: 'literal', bytes: Buffer.from('}') },
    ],
    keyColumns: 0,
    limit: Number.POSITIVE_INFINITY,
    bytes: {
      take(bytes) {
        held.now += bytes;
        held.most = Math.max(held.most, held.now);
      },
      giveBack(bytes) {
        held.now -= bytes;
      },
    },
  };
  return { layout, held };
};

describe.each(dialects)('a statement in chunks on %s', (dialect) => {
  let place: TestDatabase;
  let database: Database;

  beforeAll(async () => {
    const rows = Array.from({ length: count }, (_, id) => `(${id})`).join();
    place = await createTestDatabase(dialect, {
      sql: `create table n (id int); insert into n values ${rows};`,
    });
    database = await openDatabase({ url: place.url, poolMax: 1 });
  });

  afterAll(async () => {
    await database.close();
    await place.drop();
  });

  const read = (
    take: TakeRows,
    { signal = new AbortController().signal, layout = createLayout().layout } = {},
  ) => database.readUntil(signal).rowsInChunks(statement, layout, take);
  const isUsable = async (): Promise<void> => {
    expect(await database.query('select count(*) as count from n')).toEqual([{ count: expect.anything() }]);
  };

  it('passes every row on, and holds few of them', async () => {
    const { layout, held } = createLayout();
    const sizes: number[] = [];
    const ids: number[] = [];
    let taking = 0;
    await read(
      async ({ rows, count: taken }) => {
        taking += 1;
        expect(taking).toBe(1);
        await wait(5);
        const items = JSON.parse(`[${String(rows.bytes)}]`) as { id: number; txt: string }[];
        expect(items).toHaveLength(taken);
        for (const { id, txt } of items) if (txt === text) ids.push(id);
        sizes.push(rows.bytes.length);
        layout.bytes?.giveBack(rows.size);
        taking -= 1;
      },
      { layout },
    );
    expect(ids).toEqual(Array.from({ length: count * count }, (_, id) => id));
    expect(sizes.slice(0, -1).every((size) => size > 0.99 * megabyte && size < 1.1 * megabyte)).toBe(true);
    expect(held.most).toBeLessThan(5 * megabyte);
    await isUsable();
  });

  it('fails with what taking a chunk throws, and keeps its connection usable', async () => {
    let taken = 0;
    const full = new Error('the disk is full');
    const failing = read(async () => {
      taken += 1;
      if (taken === 2) throw full;
    });
    await expect(failing).rejects.toThrow('the disk is full');
    expect(taken).toBe(2);
    await isUsable();
  });

  it('ends with its signal, also while a chunk is taken', async () => {
    const controller = new AbortController();
    let taken = 0;
    const aborted = read(
      async () => {
        taken += 1;
        controller.abort(new Error('nobody waits'));
        await wait(20);
      },
      { signal: controller.signal },
    );
    await expect(aborted).rejects.toThrow('nobody waits');
    // what the server has sent before it ended the statement may still arrive
    expect(taken).toBeLessThan(20);
    await isUsable();
  });
});

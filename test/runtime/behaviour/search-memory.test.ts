/** SEARCH by keys keeps nothing of a request: neither of its keys, nor for each number of them. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { sampleDialects } from '../../databases.js';
import { sqlFor } from '../harness/sql.js';
import { useServer } from '../harness/use-server.js';
import type { Observation } from '../../../runtime/observe.js';

const heapUsed = (): number => {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return process.memoryUsage().heapUsed;
};

describe.each(sampleDialects(import.meta.url))('SEARCH on %s', (dialect) => {
  const server = useServer({
    dialect,
    sql: sqlFor(
      dialect,
      `create table "note" ("id" integer primary key); insert into "note" values (1), (2);`,
    ),
  });

  /** Each search has another number of keys, and other keys. */
  const searchMany = async (from: number, count: number): Promise<void> => {
    for (let index = from; index < from + count; index += 1) {
      const keys = [1, 2, ...Array.from({ length: 5_000 + index * 41 }, (_, key) => 10 + key * index)];
      const { data } = await server().request('SEARCH', '/items/note', { as: 'admin', body: { keys } });
      expect(data).toEqual([{ id: 1 }, { id: 2 }]);
    }
    // the list of what was observed is the test's own
    (server().observations as Observation[]).length = 0;
  };

  it(
    'by 5 000 to 9 000 keys, a hundred times, does not increase the memory',
    { timeout: 120_000 },
    async () => {
      await searchMany(1, 20);
      const before = heapUsed();
      await searchMany(21, 80);
      expect((heapUsed() - before) / 1_000_000).toBeLessThan(4);
    },
  );
});

/** Documents that never return are forgotten. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import type { Observation } from '../../../runtime/observe.js';
import { useServer } from '../harness/use-server.js';
import { ask } from './library.js';

const server = useServer({
  dialect: 'sqlite',
  sql: `create table people (id integer primary key, name text); insert into people values (1, 'Ada');`,
});

const collectGarbage = (): void => {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
};

const heapUsed = (): number => {
  collectGarbage();
  return process.memoryUsage().heapUsed;
};

/** Every document is new, and so is what it selects. */
const askMany = async (from: number, count: number): Promise<void> => {
  for (let index = from; index < from + count; index += 20) {
    await Promise.all(
      Array.from({ length: 20 }, (_, offset) =>
        ask(
          server(),
          `{ people(filter: { id: { _gte: ${index + offset} } }) { a${index + offset}: name id } }`,
        ),
      ),
    );
    // the list of what was observed is the test's own
    (server().observations as Observation[]).length = 0;
  }
};

/** `LONG=1`: all of them. */
const isLong = process.env.LONG !== undefined;
const total = isLong ? 100_000 : 1_000;

it(
  `${total} documents do not increase the memory`,
  async () => {
    await askMany(0, 1_500);
    const before = heapUsed();
    await askMany(1_500, total);
    const grown = (heapUsed() - before) / 1_000_000;
    expect(grown).toBeLessThan(20);
  },
  isLong ? 3_600_000 : 240_000,
);

/**
 * `npm run bench:overload -- [database] [seconds] [processes]`: finds the capacity of a server, of one request process if
 * nothing else is said, offers it twice as much for 60 s, and prints every 10 s what was answered, how fast, and the memory
 * of its processes: then, and while it rests afterwards.
 */
import { mkdir } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { startArticles } from './articles.js';
import { readChildren, readMemory } from './cpu.js';
import { benchDialects, startBenchServer, type BenchDialect } from './databases.js';
import { runLoad } from './load.js';
import { runOpenLoad, type OpenAnswer } from './open-load.js';
import { cacheFolder } from './paths.js';
import { printTable } from './report.js';
import type { Started } from './servers.js';
import { shapes } from './shapes.js';

const [name = 'mariadb', duration = '60', processes = '1'] = process.argv.slice(2);
const seconds = Number(duration);
/** Seconds of one row of the table. */
const interval = 10;
const rests = 3;

const isDialect = (text: string): text is BenchDialect => (benchDialects as readonly string[]).includes(text);

const random = (below: number): number => Math.floor(Math.random() * below);

/** Draws the path of a request like the shape `nest`, with so many rows that the sender has little to do. */
const draw = (): string => {
  const shape = shapes.find((each) => each.name === 'nest');
  if (shape === undefined) throw new Error('there is no shape "nest"');
  return shape.draw(random).server.path.replace('limit=50', 'limit=500');
};

const megabytesOf = ({ pid }: Started): number =>
  [pid, ...readChildren(pid)].map((each) => readMemory(each)).reduce((sum, each) => sum + each, 0);

/** @returns requests a second */
const findCapacity = async ({ target }: Started): Promise<number> => {
  const requests = Array.from({ length: 200 }, () => ({ method: 'GET' as const, path: draw() }));
  const load = { target, requests, connections: 16 };
  await runLoad({ ...load, seconds: 3 });
  return (await runLoad({ ...load, seconds: 10 })).requestsPerSecond;
};

const percentile = (sorted: readonly number[], part: number): string =>
  sorted.length === 0 ? '–' : `${Math.round(sorted[Math.floor((sorted.length - 1) * part)] ?? 0)}`;

const rowOf = (from: number, answers: readonly OpenAnswer[], megabytes: number): string[] => {
  const sent = answers.filter((each) => Math.floor(each.sent / interval) * interval === from);
  const ok = sent.filter(({ status }) => status === 200);
  const refused = sent.filter(({ status }) => status === 503);
  const times = ok.map(({ milliseconds }) => milliseconds).sort((a, b) => a - b);
  const refusals = refused.map(({ milliseconds }) => milliseconds).sort((a, b) => a - b);
  return [
    `${from}–${from + interval}`,
    String(sent.length),
    String(ok.length),
    String(refused.length),
    String(refused.filter(({ hasRetryAfter }) => hasRetryAfter).length),
    String(sent.length - ok.length - refused.length),
    percentile(times, 0.5),
    percentile(times, 0.99),
    percentile(refusals, 0.99),
    megabytes.toFixed(0),
  ];
};

const head = 'second,offered,200,503,with Retry-After,other,p50 ms,p99 ms,503 p99 ms,RSS MB'.split(',');

/** Offers the rate, and returns the table. */
const overload = async (server: Started, rate: number): Promise<string> => {
  const answers: OpenAnswer[] = [];
  const memory: number[] = [];
  const timer = setInterval(() => memory.push(megabytesOf(server)), interval * 1000);
  await runOpenLoad({ target: server.target, draw, rate, seconds }, (answer) => answers.push(answer));
  clearInterval(timer);
  memory.push(megabytesOf(server));
  const rows = Array.from({ length: Math.ceil(seconds / interval) }, (_, index) =>
    rowOf(index * interval, answers, memory[index] ?? memory.at(-1) ?? 0),
  );
  return printTable([head, ...rows]);
};

const say = (text: string): void => void process.stdout.write(`${text}\n`);

const run = async (dialect: BenchDialect): Promise<void> => {
  await mkdir(cacheFolder, { recursive: true });
  const database = await startBenchServer(dialect);
  const server = await startArticles(database, Number(processes)).catch(async (error: unknown) => {
    await database.stop();
    throw error;
  });
  try {
    const capacity = await findCapacity(server);
    say(`${dialect}: capacity ${capacity.toFixed(0)} requests/s, ${megabytesOf(server).toFixed(0)} MB`);
    say(await overload(server, 2 * capacity));
    for (let rest = 1; rest <= rests; rest += 1) {
      await sleep(interval * 1000);
      say(`${rest * interval} s later: ${megabytesOf(server).toFixed(0)} MB`);
    }
    say(`then: ${(await findCapacity(server)).toFixed(0)} requests/s`);
  } finally {
    await server.stop();
    await database.stop();
  }
};

if (!isDialect(name)) throw new Error(`"${name}" is none of ${benchDialects.join(', ')}`);
await run(name);

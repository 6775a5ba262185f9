/**
 * `npm run bench:import -- [rows] [rounds]`: rows that an import stores in a second, beside `LOAD DATA` of MariaDB and `COPY` of
 * PostgreSQL with the same file into the same table, in turns, and the memory of the processes above what they hold at rest.
 * Without Temporal. 50000 rows in one round take less than a minute.
 */
import { createReadStream, createWriteStream, openAsBlob } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { createConnection } from 'mysql2/promise';
import { Client } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { readChildren, readMemory } from './cpu.js';
import { startBenchServer, type BenchDialect, type BenchServer } from './databases.js';
import { median } from './measure.js';
import { cacheFolder } from './paths.js';
import { printTable } from './report.js';
import { createProject, runCli, startServer, type Started } from './servers.js';

const [rows = 1_000_000, rounds = 3] = process.argv.slice(2).map(Number);
const database = 'bench_import';
const file = join(cacheFolder, 'import.csv');

const table =
  'CREATE TABLE thing (id INT PRIMARY KEY, name VARCHAR(40) NOT NULL, price DECIMAL(9, 2), made DATE)';

function* lines(): Generator<string> {
  yield 'id,name,price,made\n';
  for (let from = 0; from < rows; from += 1_000) {
    const ids = Array.from({ length: Math.min(1_000, rows - from) }, (_, index) => from + index);
    yield ids.map((id) => `${id},thing number ${id},${(id % 9_999) / 4},2024-0${1 + (id % 9)}-11\n`).join('');
  }
}

/** The fastest statement of a database that loads the file from a client. */
interface Floor {
  readonly name: string;
  load(url: string): Promise<void>;
}

const floors = {
  mariadb: {
    name: 'LOAD DATA',
    async load(url) {
      const connection = await createConnection(url);
      await connection.query({
        sql: `LOAD DATA LOCAL INFILE 'thing' INTO TABLE thing FIELDS TERMINATED BY ',' IGNORE 1 LINES`,
        infileStreamFactory: () => createReadStream(file),
      });
      await connection.end();
    },
  },
  postgres: {
    name: 'COPY',
    async load(url) {
      const client = new Client(url);
      await client.connect();
      const copy = client.query(copyFrom('COPY thing FROM STDIN WITH (FORMAT csv, HEADER)'));
      await pipeline(createReadStream(file), copy);
      await client.end();
    },
  },
} satisfies Partial<Record<BenchDialect, Floor>>;

/** Of the process and those it has started, in megabytes. */
const memoryOf = ({ pid }: Started): number =>
  [pid, ...readChildren(pid)].reduce((sum, each) => sum + readMemory(each), 0);

/** Imports the file, and returns the highest memory meanwhile. */
const importFile = async (server: Started): Promise<number> => {
  const { origin, headers } = server.target;
  const answer = await fetch(`${origin}/items/thing/import`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'text/csv' },
    body: await openAsBlob(file),
  });
  const { status_url: url } = (await answer.json()) as { readonly status_url: string };
  let peak = 0;
  for (let isEnded = false; !isEnded; await sleep(100)) {
    peak = Math.max(peak, memoryOf(server));
    const status = await fetch(`${origin}${new URL(url).pathname}`, { headers });
    isEnded = ((await status.json()) as { readonly status: string }).status === 'COMPLETED';
  }
  return peak;
};

/** Empties the table, runs, and returns the rows a second. @throws Error where rows are missing */
const timed = async (server: BenchServer, run: () => Promise<unknown>): Promise<number> => {
  await server.execute(database, ['TRUNCATE thing']);
  const began = performance.now();
  await run();
  const seconds = (performance.now() - began) / 1000;
  const [count] = await server.column(database, 'SELECT COUNT(*) FROM thing');
  if (Number(count) !== rows) throw new Error(`${count} of ${rows} rows are stored`);
  return rows / seconds;
};

/** Imports in turns with the floor. @returns what to print */
const measure = async (server: BenchServer, floor: Floor): Promise<string> => {
  await server.recreate(database);
  await server.execute(database, [table]);
  const project = await createProject(`${server.dialect}-import`, server.url(database));
  await runCli(project, ['bootstrap']);
  const running = await startServer(project, { workers: 1, probe: '/items/thing?limit=1' });
  try {
    const idle = memoryOf(running);
    const printed: string[][] = [['round', 'rows/s', `${floor.name} rows/s`, 'ratio', 'MB above rest']];
    const ratios: number[] = [];
    for (let round = 1; round <= rounds; round += 1) {
      const least = await timed(server, () => floor.load(server.url(database)));
      let peak = 0;
      const own = await timed(server, async () => (peak = await importFile(running)));
      ratios.push(own / least);
      const figures = [own.toFixed(0), least.toFixed(0), (own / least).toFixed(2), (peak - idle).toFixed(0)];
      printed.push([String(round), ...figures]);
    }
    return `${printTable(printed)}\nmedian ratio ${median(ratios).toFixed(2)}, at rest ${idle.toFixed(0)} MB`;
  } finally {
    await running.stop();
  }
};

await mkdir(cacheFolder, { recursive: true });
await pipeline(lines, createWriteStream(file));
process.stdout.write(`${rows} rows\n`);
try {
  for (const dialect of ['mariadb', 'postgres'] as const) {
    const server = await startBenchServer(dialect);
    try {
      process.stdout.write(`\n${dialect}\n${await measure(server, floors[dialect])}\n`);
    } finally {
      await server.stop();
    }
  }
  process.stdout.write(`load average ${loadavg()[0]?.toFixed(1)}\n`);
} finally {
  await rm(file);
}

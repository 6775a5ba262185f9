/** How long one changed table takes from noticing it to serving it, part by part: `POST /schema/reload` is the notice. */
import { openDatabase } from '../../runtime/databases/open.js';
import { readServedCatalog } from '../../runtime/schema/served-catalog.js';
import { readSchemaVersion } from '../../runtime/schema/version.js';
import { readTreeCpu } from './cpu.js';
import type { BenchServer } from './databases.js';
import { median } from './measure.js';
import { printTable, type Finding } from './report.js';
import { prepareProject, runCli, startServer, type LogEntry, type Project } from './servers.js';
import { tableName, tablesRecipe } from './tables.js';

/** Milliseconds of the parts of one change. */
interface Parts {
  readonly fingerprint: number;
  readonly introspection: number;
  /** From the catalog to the bundled modules, in the process that makes builds. */
  readonly build: number;
  /** Loading them beside the former ones. */
  readonly replacement: number;
}

export interface FollowResult {
  readonly collections: number;
  readonly finding: Finding;
  readonly parts: Parts;
}

const sizes = [
  { collections: 100, seconds: 0.5 },
  { collections: 1000, seconds: 1.5 },
] as const;

/** Changes that are measured, after one that starts the process for builds. */
const changes = 5;

export const measureFollow = async (database: BenchServer): Promise<FollowResult[]> => {
  const results: FollowResult[] = [];
  for (const size of sizes) results.push(await measureSize(database, size));
  return results;
};

const measureSize = async (
  database: BenchServer,
  { collections, seconds }: (typeof sizes)[number],
): Promise<FollowResult> => {
  const recipe = tablesRecipe(collections);
  const project = await prepareProject(database, recipe, `follow-${collections}`);
  await runCli(project, ['bootstrap']);
  const logged: LogEntry[] = [];
  // those of an earlier run may have their builds still
  const run = Date.now().toString(36);
  const names = Array.from({ length: changes + 1 }, (_, change) => `added_${run}_${change}`);
  const running = await startServer(project, {
    workers: 1,
    probe: `/items/${tableName(1)}?limit=1`,
    onLog: (entry) => logged.push(entry),
  });
  try {
    const measured: Measured[] = [];
    for (const name of names) {
      await database.execute(recipe.name, [`ALTER TABLE ${tableName(2)} ADD COLUMN ${name} INTEGER`]);
      measured.push(await follow(running, project, logged));
    }
    return toResult(measured.slice(1), { database: database.dialect, collections, seconds });
  } finally {
    await running.stop();
    await database.execute(
      recipe.name,
      names.map((name) => `ALTER TABLE ${tableName(2)} DROP COLUMN ${name}`),
    );
  }
};

interface Measured extends Parts {
  readonly total: number;
  /** Processor time of the server and its processes, in seconds. */
  readonly cpu: number;
}

/** Has the server follow a change, and times what it does before that in this process too. */
const follow = async (
  { pid, target }: Awaited<ReturnType<typeof startServer>>,
  { databaseUrl }: Project,
  logged: LogEntry[],
): Promise<Measured> => {
  const known = logged.length;
  const before = readTreeCpu(pid);
  const began = performance.now();
  const response = await fetch(`${target.origin}/schema/reload`, { method: 'POST', headers: target.headers });
  const total = performance.now() - began;
  if (response.status !== 204) throw new Error(`the schema was not served: ${await response.text()}`);
  const cpu = (readTreeCpu(pid) - before) / 1_000_000;
  const built = logged.slice(known).find(({ msg }) => msg.startsWith('the schema has changed'))?.ms ?? 0;
  const database = await openDatabase({ url: databaseUrl });
  try {
    // a connection is there
    await readSchemaVersion(database);
    const fingerprint = await time(() => readSchemaVersion(database));
    const introspection = await time(() => readServedCatalog(database, {}));
    return {
      fingerprint,
      introspection,
      build: built - introspection,
      replacement: total - built - fingerprint,
      total,
      cpu,
    };
  } finally {
    await database.close();
  }
};

const time = async (body: () => Promise<unknown>): Promise<number> => {
  const began = performance.now();
  await body();
  return performance.now() - began;
};

const toResult = (
  measured: readonly Measured[],
  {
    database,
    collections,
    seconds,
  }: { readonly database: string; readonly collections: number; readonly seconds: number },
): FollowResult => {
  const of = (part: keyof Measured): number => median(measured.map((each) => each[part]));
  const totals = measured.map(({ total }) => total / 1000);
  return {
    collections,
    parts: {
      fingerprint: of('fingerprint'),
      introspection: of('introspection'),
      build: of('build'),
      replacement: of('replacement'),
    },
    finding: {
      name: `${database} follow ${collections}`,
      value: median(totals),
      unit: 's',
      target: seconds,
      atLeast: false,
      note:
        `one changed table, from noticing to serving; ${measured.length} changes: ` +
        `${Math.min(...totals).toFixed(2)}–${Math.max(...totals).toFixed(2)}, CPU ${of('cpu').toFixed(2)} s`,
    },
  };
};

export const followTable = (results: readonly FollowResult[]): string =>
  printTable([
    ['ms', 'fingerprint', 'introspection', 'build', 'replacement'],
    ...results.map(({ collections, parts }) => [
      `${collections} collections`,
      ...[parts.fingerprint, parts.introspection, parts.build, parts.replacement].map((ms) => ms.toFixed(0)),
    ]),
  ]);

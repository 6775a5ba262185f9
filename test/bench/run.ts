/**
 * `npm run bench`: measures the built server against a floor written by hand, prints tables, and writes
 * `.cache/bench/results.json`. Targets that are missed are named; only with `--gate` do they fail the command.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { startArticles } from './articles.js';
import { createReader, logIn } from './callers.js';
import { readMachine } from './cpu.js';
import { articlesRecipe } from './data.js';
import { clearDrafts, startBenchServer, type BenchServer } from './databases.js';
import { checkShape } from './gate.js';
import { followTable, measureFollow, type FollowResult } from './follow.js';
import { generationTable, measureGeneration, type GenerationResult } from './generation.js';
import { requireWrk } from './load.js';
import { measureLogins } from './logins.js';
import { measureManyCollections } from './many-collections.js';
import { measureMetricsCost } from './metrics-cost.js';
import { measureShape, type ShapeResult, type Sides } from './measure.js';
import { readOptions, usage, type BenchOptions } from './options.js';
import { cacheFolder } from './paths.js';
import { findingsTable, isMet, shapeFindings, shapesTable, type Finding } from './report.js';
import { startFloor, type Running } from './servers.js';
import type { Shape } from './shapes.js';
import { measureMemory, measureStart } from './start.js';
import { targetOn } from './targets.js';

interface DatabaseResult {
  readonly database: string;
  readonly settings: Readonly<Record<string, string>>;
  readonly shapes: readonly ShapeResult[];
  readonly findings: readonly Finding[];
  readonly generation: readonly GenerationResult[];
  readonly following: readonly FollowResult[];
}

const say = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

const sayProgress = (text: string): void => {
  process.stderr.write(`… ${text}\n`);
};

/** Keeps measurements even if a later database fails. */
const runBench = async (options: BenchOptions, machine: Machine): Promise<readonly DatabaseResult[]> => {
  await mkdir(cacheFolder, { recursive: true });
  const results: DatabaseResult[] = [];
  for (const dialect of options.databases) {
    const database = await startBenchServer(dialect);
    try {
      results.push(await runOn(database, options));
    } finally {
      await database.stop();
    }
    const text = JSON.stringify({ machine, results }, null, 2);
    await writeFile(join(cacheFolder, 'results.json'), `${text}\n`);
  }
  return results;
};

const runOn = async (database: BenchServer, options: BenchOptions): Promise<DatabaseResult> => {
  const wanted = new Set(options.parts);
  const name = database.dialect;
  say(
    `\n${name}: ${Object.entries(database.settings)
      .map((entry) => entry.join('='))
      .join(' ')}`,
  );
  const shapes = wanted.has('shapes') ? await measureShapes(database, options) : [];
  if (shapes.length > 0) say(`\n${shapesTable(shapes)}`);
  const findings: Finding[] = [];
  if (wanted.has('logins')) findings.push(...(await measureLogins(database, options.connections)));
  if (wanted.has('start')) findings.push(...(await measureStart(database)));
  if (wanted.has('memory')) findings.push(...(await measureMemory(database)));
  if (wanted.has('collections')) findings.push(...(await measureManyCollections(database, options)));
  if (wanted.has('metrics')) findings.push(...(await measureMetricsCost(database, options)));
  const generation = wanted.has('generate') ? await measureGeneration(database) : [];
  const following = wanted.has('follow') ? await measureFollow(database) : [];
  findings.push(...[...generation, ...following].map((result) => result.finding));
  if (findings.length > 0) say(`\n${findingsTable(findings)}`);
  if (generation.length > 0) say(`\n${generationTable(generation)}`);
  if (following.length > 0) say(`\n${followTable(following)}`);
  return { database: name, settings: database.settings, shapes, findings, generation, following };
};

const gateSamples = 25;

const measureShapes = async (database: BenchServer, options: BenchOptions): Promise<ShapeResult[]> => {
  const running = await startBoth(database);
  const reset = (): Promise<void> => clearDrafts(database, articlesRecipe.name);
  try {
    const { target } = running.server;
    const callers = { reader: await createReader(target), session: await logIn(target) };
    const sidesOf = ({ caller }: Shape): Sides<Running> =>
      caller === undefined
        ? running
        : { floor: running.server, server: { ...running.server, target: callers[caller] } };
    await reset();
    for (const shape of options.shapes) {
      const { server, floor } = sidesOf(shape);
      await shape.prepare?.(running.server.target);
      const pair = { server: server.target, floor: floor.target };
      const bytes = await checkShape(shape, pair, { samples: gateSamples, reset });
      sayProgress(`${shape.name}: same answers, ${bytes.serverBytes} bytes (floor ${bytes.floorBytes})`);
    }
    const results: ShapeResult[] = [];
    for (const shape of options.shapes) {
      sayProgress(`${shape.name}: ${options.rounds} rounds of 2 × ${options.seconds} s`);
      results.push(
        await measureShape(shape, sidesOf(shape), {
          ...options,
          target: targetOn(database.dialect, shape),
          databasePid: database.pid,
          reset,
        }),
      );
    }
    return results;
  } finally {
    await Promise.all([running.floor.stop(), running.server.stop()]);
  }
};

const startBoth = async (database: BenchServer): Promise<Sides<Running>> => {
  sayProgress('data, system tables, build');
  const server = await startArticles(database);
  try {
    return { server, floor: await startFloor(database.url(articlesRecipe.name)) };
  } catch (error) {
    await server.stop();
    throw error;
  }
};

const judge = (results: readonly DatabaseResult[]): Finding[] =>
  results.flatMap(({ database, shapes, findings }) => [...shapeFindings(shapes, database), ...findings]);

type Machine = Readonly<Record<string, string | number>>;

const describeMachine = ({ connections }: BenchOptions): Machine => ({
  node: process.version,
  processor: cpus()[0]?.model ?? 'unknown',
  cores: cpus().length,
  connections,
});

const main = async (options: BenchOptions): Promise<number> => {
  const before = readMachine();
  await requireWrk();
  const machine = describeMachine(options);
  say(
    Object.entries(machine)
      .map((entry) => entry.join(' '))
      .join(', '),
  );
  const results = await runBench(options, machine);
  const after = readMachine();
  const stolen = (after.stolen - before.stolen) / (after.total - before.total);
  say(`\nload average ${loadavg()[1]?.toFixed(1)}, stolen ${(stolen * 100).toFixed(1)} %`);
  const missed = judge(results).filter((finding) => !isMet(finding));
  say(
    missed.length === 0 ? 'every target met' : `missed: ${missed.map((finding) => finding.name).join(', ')}`,
  );
  return options.gate && missed.length > 0 ? 1 : 0;
};

/** `null`, with the usage told, where the arguments are not understood. */
const parseOptions = (args: readonly string[]): BenchOptions | null => {
  try {
    return readOptions(args);
  } catch (error) {
    process.stderr.write(`bench: ${(error as Error).message}\n\n${usage}\n`);
    return null;
  }
};

const options = parseOptions(process.argv.slice(2));
try {
  process.exitCode = options === null ? 2 : await main(options);
} catch (error) {
  process.stderr.write(`bench: ${(error as Error).message}\n`);
  process.exitCode = 2;
}

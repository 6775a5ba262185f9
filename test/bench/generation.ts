/** Measures each step of `svc generate` on many tables. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { emitCatalog } from '../../generator/emitters/catalog/index.js';
import { emitDocs } from '../../generator/emitters/docs/index.js';
import { emitModels } from '../../generator/emitters/models/index.js';
import { emitOpenApi } from '../../generator/emitters/openapi/index.js';
import { buildModel } from '../../generator/model/build.js';
import type { Catalog } from '../../generator/introspection/catalog.js';
import type { Emitter } from '../../generator/model/types.js';
import { loadSpec } from '../../generator/spec/load.js';
import { readFile } from 'node:fs/promises';
import type { BenchServer } from './databases.js';
import { projectRoot } from './paths.js';
import { printTable, type Finding } from './report.js';
import { prepareProject, runCli } from './servers.js';
import { tablesRecipe } from './tables.js';

export interface GenerationResult {
  readonly collections: number;
  readonly finding: Finding;
  /** Milliseconds of each step of the command. */
  readonly steps: Readonly<Record<string, number>>;
  /** Milliseconds of single emitters, each run once more in this process. */
  readonly emitters: Readonly<Record<string, number>>;
}

const sizes = [
  { collections: 100, seconds: 1 },
  { collections: 1000, seconds: 5 },
] as const;

export const measureGeneration = async (database: BenchServer): Promise<GenerationResult[]> => {
  const results: GenerationResult[] = [];
  for (const size of sizes) results.push(await measureSize(database, size));
  return results;
};

const measureSize = async (
  database: BenchServer,
  { collections, seconds }: (typeof sizes)[number],
): Promise<GenerationResult> => {
  const recipe = tablesRecipe(collections);
  const project = await prepareProject(database, recipe, recipe.name);
  await runCli(project, ['bootstrap']);
  const out = join(project.folder, 'generated');
  await rm(out, { recursive: true, force: true });
  const began = performance.now();
  const report = await runCli(project, ['generate', '--out', out, '--json']);
  const wall = (performance.now() - began) / 1000;
  const { timings } = JSON.parse(report) as { timings: Record<string, number> };
  const { client = 0, ...steps } = timings;
  return {
    collections,
    steps: timings,
    emitters: await timeEmitters(join(out, 'catalog.json')),
    finding: {
      name: `${database.dialect} generate ${collections}`,
      value: Object.values(steps).reduce((sum, ms) => sum + ms, 0) / 1000,
      unit: 's',
      target: seconds,
      atLeast: false,
      note: `catalog, model and every emitter into an empty folder; client step ${(client / 1000).toFixed(2)} s, whole command ${wall.toFixed(2)} s`,
    },
  };
};

const emitters: readonly [string, Emitter][] = [
  ['catalog', emitCatalog],
  ['openapi', emitOpenApi],
  ['handlers', emitModels],
  ['docs', emitDocs],
];

const timeEmitters = async (catalogFile: string): Promise<Record<string, number>> => {
  const catalog = JSON.parse(await readFile(catalogFile, 'utf8')) as Catalog;
  const { model } = buildModel({ catalog, spec: await loadSpec([join(projectRoot, 'spec')]) });
  const times: Record<string, number> = {};
  for (const [name, emit] of emitters) {
    const began = performance.now();
    emit(model);
    times[name] = performance.now() - began;
  }
  return times;
};

export const generationTable = (results: readonly GenerationResult[]): string => {
  const names = [...new Set(results.flatMap((result) => Object.keys(result.steps)))];
  const emitted = [...new Set(results.flatMap((result) => Object.keys(result.emitters)))];
  return printTable([
    ['ms', ...names, ...emitted.map((name) => `(${name})`)],
    ...results.map((result) => [
      `${result.collections} collections`,
      ...names.map((name) => (result.steps[name] ?? 0).toFixed(0)),
      ...emitted.map((name) => (result.emitters[name] ?? 0).toFixed(0)),
    ]),
  ]);
};

/**
 * Generates files from database and spec. The only module that both reads and writes; prints nothing itself.
 */
import { join } from 'node:path';
import { clientFolder, runClientStep, type ClientOutcome, type ClientResult } from './client/step.js';
import { emit, beginEmission, type Emission } from './emitters/index.js';
import type {
  Catalog,
  CatalogReader,
  IntrospectOptions,
  UnmatchedPatterns,
} from './introspection/catalog.js';
import { introspect } from './introspection/index.js';
import type { BreakingChange } from './model/breaking.js';
import { buildModel, type ModelSources } from './model/build.js';
import { ModelError } from './model/findings.js';
import type { PartCache } from './part-cache.js';
import type { Model, OutputFile } from './model/types.js';
import { writeOutput, type OutputReport } from './output.js';
import { checkRunners, type RunnerReport } from './runners/check.js';
import { loadSpec } from './spec/load.js';
import type { Spec } from './spec/types.js';
import { compareWithStored, filterCatalog, readStoredCatalog } from './stored-catalog.js';

export interface GenerateOptions {
  /** The live database; not needed with `from`. */
  readonly reader?: CatalogReader;
  /** A stored `catalog.json` to use instead of a database. */
  readonly from?: string;
  /** Spec folders: the package's own first, then a team's. */
  readonly specFolders: readonly string[];
  /** The spec of these folders, if it has been loaded already. */
  readonly spec?: Spec;
  /** The output folder. */
  readonly out: string;
  /** The output is the package's own, rather than a team's. */
  readonly forPackage?: boolean;
  /** Writes nothing; the report lists what would change. */
  readonly check: boolean;
  /** Leaves out parts of the spec that the database lacks; otherwise they are faults. */
  readonly ignoresOutdated?: boolean;
  /** Checks the functions of models. */
  readonly checksRunners?: boolean;
  /** True where the client is updated; the one in the output folder stays unchanged otherwise. */
  readonly client?: boolean;
  /** Table patterns that replace those in `api.yaml`, unless empty. */
  readonly include?: readonly string[];
  readonly exclude?: readonly string[];
}

export interface GenerateReport extends OutputReport {
  /** The catalog of the output. */
  readonly catalog: Catalog;
  /** Warnings, one sentence each. */
  readonly warnings: readonly string[];
  /** Faults of functions of models, with `checksRunners`; one sentence each. */
  readonly runnerFaults: readonly string[];
  /** Parts of the spec that the database lacks, with `ignoresOutdated`; one sentence each. */
  readonly outdated: readonly string[];
  /** True where the previous output is one of this database; `null` where there is none. */
  readonly isSameDatabase: boolean | null;
  /** Changes that break clients of the previous output; none where that is one of another database. */
  readonly breaking: readonly BreakingChange[];
  readonly client: ClientOutcome;
  /** Milliseconds of each step. */
  readonly timings: Readonly<Record<Step, number>>;
}

export type Step = 'load' | 'read' | 'build' | 'emit' | 'runners' | 'client' | 'compare' | 'write';

/**
 * Updates the output folder. All output is created before any is written, so an error leaves the old output
 * intact.
 * @throws SpecError, ModelError or OutputError, each with all faults
 */
export const generate = async (options: GenerateOptions): Promise<GenerateReport> => {
  const { timings, time } = createTimer();
  const spec = await time('load', () => options.spec ?? loadSpec(options.specFolders));
  const patterns: string[] = [];
  const catalog = await time('read', () =>
    readCatalog({ ...options, onUnmatched: (unmatched) => patterns.push(...checkPatterns(unmatched)) }, spec),
  );
  const { forPackage = false, ignoresOutdated = false } = options;
  const { model, warnings, outdated } = await time('build', () =>
    buildModel({ catalog, spec, forPackage, ignoresOutdated }),
  );
  const files = await time('emit', () => emit(model));
  const runners = await time('runners', () => findRunnerFaults(options, model, files));
  const client = await time('client', () => makeClient(options, model, files));
  const stored = await time('compare', () =>
    compareWithStored(join(options.out, 'catalog.json'), model, spec),
  );
  const output = await time('write', () =>
    writeOutput(options.out, [...files, ...client.files], {
      check: options.check,
      ...(client.outcome === 'skipped' && { keptFolder: clientFolder }),
    }),
  );
  return {
    ...output,
    catalog: model.catalog,
    warnings: [...patterns, ...warnings, ...runners.warnings, ...client.warnings, ...stored.warnings],
    runnerFaults: runners.faults,
    outdated,
    isSameDatabase: stored.isSameDatabase,
    breaking: stored.breaking,
    client: client.outcome,
    timings,
  };
};

export interface FileOptions extends ModelSources {
  /** Patterns of the tables that are served. */
  readonly tables: IntrospectOptions;
  readonly forPackage: boolean;
}

export interface MadeFiles extends Emission {
  /** Parts of the spec that the database lacks; one sentence each. */
  readonly outdated: readonly string[];
}

/**
 * Returns the files of a catalog, without what the spec says of tables and columns that the database lacks, which is
 * named. Reads and writes nothing.
 * @param cache of former runs with the same spec
 * @throws ModelError with all faults
 */
export const makeFiles = (
  { catalog, spec, tables, forPackage }: FileOptions,
  cache: PartCache,
): MadeFiles => {
  const served = filterCatalog(catalog, servedTables(tables, spec));
  const { model, outdated } = buildModel({ catalog: served, spec, forPackage, ignoresOutdated: true });
  return { ...beginEmission(model, cache), outdated };
};

/** Compares the output folder with files, without the client, and writes nothing. Returns the number of differences. */
export const countOutdated = (out: string, files: readonly OutputFile[]): number => {
  const { written, removed } = writeOutput(out, files, { check: true, keptFolder: clientFolder });
  return written.length + removed.length;
};

const findRunnerFaults = async (
  { checksRunners, out }: GenerateOptions,
  { queueModels: models }: Model,
  files: readonly OutputFile[],
): Promise<RunnerReport> =>
  checksRunners === true ? checkRunners({ models, files, out }) : { faults: [], warnings: [] };

const makeClient = async (
  { client, out }: GenerateOptions,
  model: Model,
  files: readonly OutputFile[],
): Promise<ClientResult> =>
  client === true ? runClientStep({ model, files, out }) : { outcome: 'skipped', files: [], warnings: [] };

/** Reads the catalog of the served tables, from a stored file or the database. */
export const readCatalog = (
  options: Pick<GenerateOptions, 'from' | 'reader' | 'include' | 'exclude'> &
    Pick<IntrospectOptions, 'onUnmatched'>,
  spec: Spec,
): Promise<Catalog> => {
  const { from, reader } = options;
  const tables = servedTables(options, spec);
  if (from !== undefined) return readStoredCatalog(from, tables);
  if (reader !== undefined) return introspect(reader, { ...tables, onUnmatched: options.onUnmatched });
  throw new Error('There is no source: pass a database or a stored catalog.json');
};

const noTableMatches = (pattern: string): string => `the pattern "${pattern}" matches no table`;

/**
 * Returns a warning for patterns that exclude nothing.
 * @throws ModelError for patterns that include nothing: what was meant would not be served
 */
const checkPatterns = ({ include, exclude }: UnmatchedPatterns): readonly string[] => {
  const remedy = 'correct it in TABLES_INCLUDE or in "tables" of spec/api.yaml';
  if (include.length > 0)
    throw new ModelError(
      include.map((pattern) => ({ where: 'include', message: noTableMatches(pattern), remedy })),
    );
  return exclude.map((pattern) => `exclude: ${noTableMatches(pattern)}`);
};

/** Returns the patterns of the served tables: those of the environment, else those of `api.yaml`. */
export const servedTables = (
  { include, exclude }: Pick<GenerateOptions, 'include' | 'exclude'>,
  { api }: Spec,
): Spec['api']['tables'] => ({
  include: include?.length ? include : api.tables.include,
  exclude: exclude?.length ? exclude : api.tables.exclude,
});

const createTimer = () => {
  const timings: Record<Step, number> = {
    load: 0,
    read: 0,
    build: 0,
    emit: 0,
    runners: 0,
    client: 0,
    compare: 0,
    write: 0,
  };
  const time = async <Result>(step: Step, run: () => Result | Promise<Result>): Promise<Result> => {
    const start = performance.now();
    const result = await run();
    timings[step] = performance.now() - start;
    return result;
  };
  return { timings, time };
};

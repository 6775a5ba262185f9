/** `svc generate`: writes the generated output of database and spec. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { plural } from '../../contract/plural.js';
import type { Catalog } from '../../generator/introspection/catalog.js';
import type { GenerateOptions, GenerateReport } from '../../generator/main.js';
import { generatedFolder, isPackageOutput, specFolders } from '../config/paths.js';
import { Refusal } from '../config/refusal.js';
import { action, limitLines, maxLines, printLine, printJson } from './output.js';
import { withDatabase } from './with-database.js';

interface Flags {
  readonly check?: true;
  readonly from?: string;
  readonly spec?: string;
  readonly out: string;
  readonly json?: true;
  readonly client: boolean;
}

/** Creates `svc generate`, which writes only files that differ. */
export const generateCommand = (): Command =>
  new Command('generate')
    .description('write generated/ from the live database and the spec')
    .option('--check', 'write nothing, report what would change; exits with 1 if anything would')
    .option('--from <file>', 'read a stored catalog.json instead of the database')
    .option('--spec <dir>', 'folder of your own spec (default: spec/ if it exists)')
    .option('--out <dir>', 'folder to write', generatedFolder)
    .option('--no-client', 'leave generated/client as it is')
    .option('--json', 'print the report as JSON')
    .action(
      action(async (flags: Flags) => {
        const run = await runGenerate(flags);
        if (flags.json === true) printJson(runToJson(run));
        else for (const line of runToLines(run, flags)) printLine(line);
        const { report } = run;
        if (report.runnerFaults.length > 0) return 1;
        return flags.check === true && countFiles(report) > 0 ? 1 : 0;
      }),
    );

interface Run {
  readonly report: GenerateReport;
  /** Differences between the database and the stored catalog. */
  readonly changes: readonly string[];
}

const runGenerate = async ({ from, spec, out, check, client }: Flags): Promise<Run> => {
  const options = {
    specFolders: specFolders(spec),
    forPackage: isPackageOutput(out),
    out,
    check: check === true,
    checksRunners: true,
    client,
  };
  if (from === undefined) {
    return withDatabase((reader, { tables }) => generateAndCompare({ ...options, ...tables, reader }));
  }
  if (!existsSync(from)) throw new Refusal(`--from: the file "${from}" does not exist`);
  return generateAndCompare({ ...options, from });
};

const generateAndCompare = async (options: GenerateOptions): Promise<Run> => {
  const { generate } = await import('../../generator/main.js');
  const before = readCatalog(options.out);
  const report = await generate(options);
  const isChanged = report.isSameDatabase === true && report.written.includes('catalog.json');
  if (before === null || !isChanged) return { report, changes: [] };
  const { catalogChanges } = await import('../schema/catalog-changes.js');
  return { report, changes: catalogChanges(before, report.catalog) };
};

/** Returns the stored catalog, or null where it cannot be read: `generate` reports that itself. */
const readCatalog = (folder: string): Catalog | null => {
  try {
    return JSON.parse(readFileSync(join(folder, 'catalog.json'), 'utf8')) as Catalog;
  } catch {
    return null;
  }
};

/** Returns the report without the catalog, which `catalog.json` holds. */
const runToJson = ({ report: { catalog: _catalog, ...report }, changes }: Run): object => ({
  ...report,
  changes,
});

const countFiles = ({ written, removed }: GenerateReport): number => written.length + removed.length;

const runToLines = ({ report, changes }: Run, { check, out }: Flags): readonly string[] => {
  const prefix = check === true ? 'would be ' : '';
  const system = changes.filter(isSystem).length;
  return [
    ...report.warnings.map((warning) => `warning: ${warning}`),
    ...(report.isSameDatabase === false ? [`${out}/ is the output of another database: not compared`] : []),
    ...limitLines(changes.filter((change) => !isSystem(change))),
    ...(system === 0 ? [] : [`system tables (svc_): ${plural(system, 'change')}`]),
    ...limitLines(report.breaking.map(({ message }) => `breaks clients: ${message}`)),
    ...filesToLines(report.written, { verb: `${prefix}written`, out }),
    ...filesToLines(report.removed, { verb: `${prefix}removed`, out }),
    summaryOf(report, check === true),
    ...report.runnerFaults,
  ];
};

const isSystem = (change: string): boolean => / svc_/.test(change);

/** Lists files, or where they are many, their number in each folder. */
const filesToLines = (
  paths: readonly string[],
  { verb, out }: { readonly verb: string; readonly out: string },
): readonly string[] => {
  if (paths.length <= maxLines) return paths.map((path) => `${verb}: ${join(out, path)}`);
  const counts = new Map<string, number>();
  for (const path of paths) {
    const folder = path.includes('/') ? path.slice(0, path.indexOf('/') + 1) : '';
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  return [...counts].map(([folder, count]) => `${verb}: ${plural(count, 'file')} in ${join(out, folder)}`);
};

const summaryOf = (report: GenerateReport, check: boolean): string => {
  const ms = Object.values(report.timings).reduce((sum, time) => sum + time, 0);
  const unchanged = `${plural(report.unchanged.length, 'file')} unchanged`;
  const time = `(${Math.round(ms)} ms${clientTime(report)})`;
  if (countFiles(report) === 0) return `up to date: ${unchanged} ${time}`;
  return `${plural(countFiles(report), 'file')} ${check ? 'out of date' : 'changed'}, ${unchanged} ${time}`;
};

/** Describes the time of the client step, the only slow one. */
const clientTime = ({ client, timings }: GenerateReport): string =>
  client === 'generated' ? `, ${Math.round(timings.client)} of them for the client` : '';

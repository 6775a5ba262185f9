/** Checks the functions of models: that their modules exist, and that what they export fits the schemas. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { OutputFile, QueueModel } from '../model/types.js';
import type { RunnerModule } from './signatures.js';

export interface RunnerOptions {
  readonly models: readonly QueueModel[];
  /** Output with the types of the models, which need not be written yet. */
  readonly files: readonly OutputFile[];
  /** The output folder. */
  readonly out: string;
}

export interface RunnerReport {
  /** One sentence each, with its remedy. */
  readonly faults: readonly string[];
  readonly warnings: readonly string[];
}

/** Types of the models in the output. */
const typesFile = 'server/queue-models.ts';

/**
 * Checks all models. Types are compared only where ts-morph is installed, since only a development machine
 * has it.
 */
export const checkRunners = async ({ models, files, out }: RunnerOptions): Promise<RunnerReport> => {
  const modules = models.flatMap(toModule);
  const missing = modules.filter(({ module }) => module.startsWith('./') && !existsSync(module));
  const faults = missing.map(
    ({ id, file, module }) =>
      `${file}: ${module} does not exist; write it, or run "svc model new ${id}" for one to begin with`,
  );
  const present = modules.filter((each) => !missing.includes(each));
  if (present.length === 0) return { faults, warnings: [] };
  const signatures = await import('./signatures.js').catch(() => null);
  if (signatures === null)
    return { faults, warnings: ['functions of models were not checked: ts-morph is not installed'] };
  const types = files.find(({ path }) => path === typesFile)?.content ?? '';
  const unfit = signatures.findUnfit(present, { file: resolve(out, typesFile), content: types });
  return { faults: [...faults, ...unfit], warnings: [] };
};

/** Functions that come with the package are checked when it is built. */
const toModule = ({ id, names, runner }: QueueModel): readonly RunnerModule[] =>
  runner.kind !== 'function' || runner.module.startsWith('@svc-api/svc/')
    ? []
    : [{ id, type: names.type, module: runner.module, file: `spec/models/${id.replaceAll('/', '.')}.yaml` }];

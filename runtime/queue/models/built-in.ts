/** Models that are part of svc: imports and exports, which routes of items submit. */
import type { QueueModelDeclaration } from '../../../contract/queue-model.js';
import type { RunContext, RunResult } from './attempt.js';

export type BuiltInModelId = 'svc/import' | 'svc/export';

/** Runs a built-in model. @throws the reason of the signal when it is aborted */
export type RunBuiltIn = (model: BuiltInModelId, run: RunContext) => Promise<RunResult>;

const builtIn = (id: BuiltInModelId, title: string): QueueModelDeclaration => ({
  id,
  title,
  access: 'user',
  runner: { kind: 'builtIn' },
  class: 'transfers',
  timeout: 24 * 60 * 60_000,
  // each worker that ends takes one, and the next continues where it was
  attempts: 100,
  concurrency: { model: 8, account: 2 },
  input: { type: 'object' },
  output: { type: 'object' },
});

/** The ids of these models are reserved. */
export const builtInModels: readonly QueueModelDeclaration[] = [
  builtIn('svc/import', 'Import of items'),
  builtIn('svc/export', 'Export of items'),
];

/** Targets of `svc import` and `svc export`: the database of `DATABASE_URL`, or a running instance. */
import { Option, type Command } from 'commander';
import type { ExportFormat } from '../../../contract/export-formats.js';
import type { ImportFormat } from '../../../contract/import-formats.js';
import { Refusal } from '../../config/refusal.js';
import { createProgress } from '../output.js';
import { createRemote, tokenOption, urlOption, type RemoteFlags } from '../remote.js';

/** A file to import into a collection. */
export interface ImportTask {
  readonly collection: string;
  /** Path of the file, not compressed. */
  readonly path: string;
  readonly format: ImportFormat;
  /** Parameters of `POST /items/:collection/import`. */
  readonly parameters: URLSearchParams;
  /** File that receives the rows that are left out. */
  readonly rejected: string;
}

/** A list to export to a file. */
export interface ExportTask {
  readonly collection: string;
  readonly format: ExportFormat;
  /** Parameters of the list. */
  readonly query: Readonly<Record<string, unknown>>;
  /** File that receives the list; `-` is stdout. */
  readonly file: string;
}

/** The result of a transfer: an HTTP status, and the body that its request has. */
export interface TransferEnd {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface TransferControl {
  /** Aborted when the user interrupts the command. */
  readonly signal: AbortSignal;
  /** @param percent 0 to 100 */
  onProgress(percent: number, text: string): void;
}

/** Runs transfers. Its methods throw a Refusal when the transfer was interrupted. */
export interface TransferTarget {
  import(task: ImportTask, control: TransferControl): Promise<TransferEnd>;
  export(task: ExportTask, control: TransferControl): Promise<TransferEnd>;
}

export interface TargetFlags extends RemoteFlags {
  readonly user?: string;
}

/** Adds the options that choose a target. */
export const addTargetOptions = (command: Command): Command =>
  command
    .addOption(new Option('--user <email>', 'user whose rights apply (default: the first administrator)'))
    .addOption(urlOption())
    .addOption(tokenOption(owner));

const owner = 'a user with access to the collection';

/** Runs a transfer with a progress bar. The first Ctrl-C cancels it, the second ends the process. */
export const runTransfer = async (
  { url, token, user }: TargetFlags,
  transfer: (target: TransferTarget, control: TransferControl) => Promise<TransferEnd>,
): Promise<TransferEnd> => {
  if (url !== undefined && user !== undefined)
    throw new Refusal('--user is for the database of DATABASE_URL; with --url, the --token says who you are');
  const interrupt = new AbortController();
  const progress = createProgress();
  const onSignal = (): void => {
    if (interrupt.signal.aborted) process.exit(130);
    interrupt.abort();
  };
  process.on('SIGINT', onSignal);
  try {
    const control = { signal: interrupt.signal, onProgress: progress.bar };
    if (url !== undefined) {
      const { createRemoteTarget } = await import('./remote-target.js');
      return await transfer(createRemoteTarget(createRemote(url, token, owner)), control);
    }
    const { withLocalTarget } = await import('./local-target.js');
    return await withLocalTarget(user, (target) => transfer(target, control));
  } finally {
    process.off('SIGINT', onSignal);
    progress.done();
  }
};

/** Returns the problems of a failed transfer, one per line; none where it succeeded. @throws Error for a failure of the platform */
export const problemsOf = ({ status, body: { detail } }: TransferEnd): readonly string[] => {
  if (status < 400) return [];
  const problems = Array.isArray(detail)
    ? (detail as readonly Problem[]).map(problemToLine)
    : [String(detail)];
  if (status >= 500) throw new Error(problems.join('\n'));
  return problems;
};

interface Problem {
  /** `file`, the line of the file, the column; or `query`. */
  readonly loc: readonly string[];
  readonly msg: string;
}

const problemToLine = ({ loc: [, line, ...column], msg }: Problem): string =>
  line === undefined ? msg : `line ${[line, ...column].join(', ')}: ${msg}`;

/**
 * Runs the client step in a process of its own, because its tools are large; skips it where its input is
 * unchanged. Where the tools are not installed, or cannot be used, the client is left unchanged.
 */
import { fork } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { emitClient } from '../emitters/client/index.js';
import { runInChild } from '../../contract/ask-child.js';
import type { Model, OutputFile } from '../model/types.js';
import { clientDocument } from './document.js';
import type { ClientTask } from './make.js';
import type { ClientReply } from './process.js';

/** `unchanged`: the input is that of the previous run; `skipped`: the tools cannot be used. */
export type ClientOutcome = 'generated' | 'unchanged' | 'skipped';

export interface ClientResult {
  readonly outcome: ClientOutcome;
  /** All files of the client; empty where it was left unchanged. */
  readonly files: readonly OutputFile[];
  readonly warnings: readonly string[];
}

interface Sources {
  readonly model: Model;
  /** Output of the other emitters. */
  readonly files: readonly OutputFile[];
  /** The output folder. */
  readonly out: string;
}

export const clientFolder = 'client/';

/** Runs the client step. @throws Error when a tool fails */
export const runClientStep = async ({ model, files, out }: Sources): Promise<ClientResult> => {
  const tools = toolVersions();
  const reason = whyUnusable(tools);
  if (reason !== null) {
    const warning = `the client was not updated: ${reason}; see "Generating it" in docs/client.md`;
    return { outcome: 'skipped', files: [], warnings: [warning] };
  }
  const task = taskOf(model, files);
  const input = hash({ edition, task, tools });
  const stored = readStored(out, input);
  const result = stored ?? (await makeInChildProcess(task));
  const stamp = printStamp({ tools, input, files: result });
  return {
    outcome: stored === null ? 'generated' : 'unchanged',
    files: [...emitClient(model), ...result, stamp],
    warnings: [],
  };
};

const taskOf = ({ api, operations }: Model, files: readonly OutputFile[]): ClientTask => ({
  document: clientDocument(api, operations),
  schemas: Object.fromEntries(
    files.flatMap(({ path, content }) => {
      const name = /^graphql\/(\w+)\.graphql$/.exec(path)?.[1];
      return name === undefined ? [] : [[name, content]];
    }),
  ),
});

const toolNames = [
  '@hey-api/openapi-ts',
  '@graphql-codegen/core',
  '@graphql-codegen/typescript-operations',
  'typescript',
];

/** Versions by name; null: not installed. */
type ToolVersions = Readonly<Record<string, string | null>>;

/** Returns the reason why no client can be generated; null: it can. */
const whyUnusable = (tools: ToolVersions): string | null => {
  const missing = Object.keys(tools).filter((name) => tools[name] === null);
  if (missing.length > 0) {
    return `${missing.join(', ')} ${missing.length === 1 ? 'is' : 'are'} not installed`;
  }
  const version = tools['typescript'] ?? '';
  // the API of the compiler, which hey-api uses, ended with version 6
  if (Number.parseInt(version) < 7) return null;
  return `@hey-api/openapi-ts needs TypeScript 5 or 6, and ${version} is installed`;
};

const toolVersions = (): ToolVersions =>
  Object.fromEntries(toolNames.map((name) => [name, installedVersion(name)]));

const installedVersion = (name: string): string | null => {
  const folders = createRequire(import.meta.url).resolve.paths(name) ?? [];
  const manifest = folders
    .map((folder) => join(folder, name, 'package.json'))
    .find((path) => existsSync(path));
  if (manifest === undefined) return null;
  return (JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }).version;
};

/** Version of this step; increment it when the same input yields different files. */
const edition = 1;

const stampPath = `${clientFolder}made-by.json`;

/** Hashes of the input and the generated files, which the next run compares. */
interface Stamp {
  readonly tools: ToolVersions;
  readonly input: string;
  /** Hashes by path. */
  readonly files: Readonly<Record<string, string>>;
}

const printStamp = ({
  tools,
  input,
  files,
}: Omit<Stamp, 'files'> & { readonly files: readonly OutputFile[] }): OutputFile => {
  const hashes = Object.fromEntries(files.map(({ path, content }) => [path, hash(content)]));
  const stamp: Stamp = { tools, input, files: hashes };
  return { path: stampPath, content: `${JSON.stringify(stamp, null, 2)}\n` };
};

/** Returns the files of the previous run if neither their input nor they have changed. */
const readStored = (out: string, input: string): readonly OutputFile[] | null => {
  const file = join(out, stampPath);
  if (!existsSync(file)) return null;
  const stamp = JSON.parse(readFileSync(file, 'utf8')) as Stamp;
  if (stamp.input !== input) return null;
  const paths = Object.keys(stamp.files);
  if (!paths.every((path) => existsSync(join(out, path)))) return null;
  const files = paths.map((path) => ({ path, content: readFileSync(join(out, path), 'utf8') }));
  return files.every(({ path, content }) => stamp.files[path] === hash(content)) ? files : null;
};

const hash = (value: unknown): string => {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return createHash('sha256').update(text).digest('hex').slice(0, 20);
};

const makeInChildProcess = async (task: ClientTask): Promise<readonly OutputFile[]> => {
  const here = fileURLToPath(import.meta.url);
  const child = fork(join(here, '..', `process${here.slice(here.lastIndexOf('.'))}`));
  const reply = await runInChild<ClientReply>(child, task, 'the client step');
  if (reply.kind === 'generated') return reply.files;
  throw new Error(`the client could not be generated: ${reply.message}`);
};

/** Reads `spec/models/<owner>.<app>.yaml`. */
import { upstreamAddress } from '../../contract/queue-model.js';
import type { JsonSchema, QueueModel, QueueRunner } from '../model/types.js';
import { faultAt } from './faults.js';
import { objectSchema, ownObjectSchema } from './json-schema.js';
import {
  flag,
  listOf,
  mapOf,
  oneOf,
  optional,
  record,
  required,
  text,
  textLike,
  wholeNumber,
  type Read,
} from './read.js';
import type { SpecFault } from './types.js';
import type { MapEntry, Node } from './yaml.js';

export type QueueModelSpec = Omit<QueueModel, 'names'>;

const seconds: ReadonlyMap<string, number> = new Map([
  ['s', 1],
  ['m', 60],
  ['h', 3600],
]);

const durationText = textLike(/^[1-9]\d*[smh]$/, 'a duration', 'write it as in 30s, 15m or 2h');

/** Hours that timers can count. */
const maxHours = 500;

/** Reads a duration in milliseconds. */
const duration: Read<number> = (node, faults) => {
  const value = durationText(node, faults);
  const ms = Number.parseInt(value, 10) * 1000 * (seconds.get(value.slice(-1)) ?? 0) || 0;
  if (ms > maxHours * 3_600_000) {
    faults.push(faultAt(node.position, `${value} is too long`, `write ${maxHours}h or less`));
  }
  return ms;
};

const atLeastOne: Read<number> = (node, faults) => {
  const value = wholeNumber(node, faults);
  if (node.kind === 'scalar' && Number.isInteger(node.value) && value < 1) {
    faults.push(faultAt(node.position, `${value} is too few`, 'write 1 or more'));
  }
  return value;
};

const upstream = textLike(
  upstreamAddress,
  'an address of an inference server',
  'begin with http:// or https://, or with ${NAME} of an environment variable',
);

const moduleName = textLike(
  /^(\.\/[\w./-]+\.[cm]?[jt]s|(@[\w.-]+\/)?[\w.-]+(\/[\w.-]+)*)$/,
  'a module',
  'write ./models/name.ts, from the folder of the project, or the name of a package',
);

const megabytes: ReadonlyMap<string, number> = new Map([
  ['mb', 1],
  ['gb', 1024],
]);

const memoryText = textLike(/^[1-9]\d*(mb|gb)$/, 'a size of memory', 'write it as in 512mb or 2gb');

/** A process of Node needs about half of it for itself. */
const minMegabytes = 128;

/** Reads a size of memory in bytes. */
const memorySize: Read<number> = (node, faults) => {
  const value = memoryText(node, faults);
  const size = Number.parseInt(value, 10) * (megabytes.get(value.slice(-2)) ?? 0) || 0;
  if (size > 0 && size < minMegabytes) {
    faults.push(
      faultAt(node.position, `${value} is too little for a process`, `write ${minMegabytes}mb or more`),
    );
  }
  return size * 1024 ** 2;
};

const variableName = textLike(
  /^[A-Za-z_][A-Za-z0-9_]*$/,
  'the name of an environment variable',
  'write it as in DATABASE_URL',
);

/** Characters of a field name of HTTP (RFC 9110 §5.1). */
const headerName = /^[\w!#$%&'*+.^`|~-]+$/;

const headerValue = textLike(
  /^[\t\x20-\x7e\xa0-\xff]+$/,
  'the value of a header',
  'write one line of Latin letters',
);

/** Reads the value of a header, and checks its name. */
const header = ({ position, value }: MapEntry, name: string, faults: SpecFault[]): string => {
  if (!headerName.test(name))
    faults.push(faultAt(position, `"${name}" is not the name of a header`, 'write it as in X-Team'));
  return headerValue(value, faults);
};

interface RunnerFile {
  readonly function?: string;
  readonly memory?: number;
  readonly environment?: readonly string[];
  readonly http?: string;
  readonly headers: ReadonlyMap<string, string>;
}

const runnerFile = record<RunnerFile>({
  function: optional(moduleName),
  memory: optional(memorySize),
  environment: optional(listOf(variableName)),
  http: optional(upstream),
  headers: optional<ReadonlyMap<string, string>>(mapOf(header), new Map()),
});

const defaultMemory = 512 * 1024 ** 2;

const runner: Read<QueueRunner> = (node, faults) => {
  const { function: module, http, headers, memory, environment } = runnerFile(node, faults);
  if (node.kind === 'map' && (module === undefined) === (http === undefined)) {
    faults.push(faultAt(node.position, 'a model has one runner', 'write either "function" or "http"'));
  }
  if (http === undefined) {
    return {
      kind: 'function',
      module: module ?? '',
      memory: memory ?? defaultMemory,
      environment: environment ?? [],
    };
  }
  if (memory !== undefined || environment !== undefined) {
    const remedy = 'remove them; the inference server has a process of its own';
    faults.push(faultAt(node.position, '"memory" and "environment" belong to a function', remedy));
  }
  return { kind: 'http', url: http, headers: Object.fromEntries(headers) };
};

const concurrency = record<QueueModel['concurrency']>({
  model: optional(atLeastOne, 8),
  account: optional(atLeastOne, 8),
});

type ModelFile = Omit<QueueModelSpec, 'id'> & { readonly enabled: boolean };

/** @param schema reads input and output */
const modelFile = (schema: Read<JsonSchema>): Read<ModelFile> =>
  record<ModelFile>({
    title: required(text),
    description: required(text),
    enabled: optional(flag, true),
    access: optional(oneOf(['user', 'admin']), 'user'),
    runner: required(runner),
    class: optional(
      textLike(/^[a-z][a-z0-9-]*$/, 'a class of models', 'write it as in "gpu-large"'),
      'models',
    ),
    timeout: optional(duration, 600_000),
    attempts: optional(atLeastOne, 10),
    concurrency: optional(concurrency, { model: 8, account: 8 }),
    input: required(schema),
    output: required(schema),
  });

const ownFile = modelFile(ownObjectSchema);
const teamFile = modelFile(objectSchema);

const fileName = /^models\/([a-z0-9][a-z0-9_-]*(?:\.[a-z0-9][a-z0-9_-]*)+)\.yaml$/;

export interface QueueModelFile {
  /** `models/<owner>.<app>.yaml` */
  readonly path: string;
  /** True where the file belongs to the package and is unchanged. */
  readonly own: boolean;
  readonly node: Node;
}

/**
 * Reads one merged file. The id is the file name with slashes for dots. Returns null for a disabled model.
 */
export const readQueueModel = (
  { node, path, own }: QueueModelFile,
  faults: SpecFault[],
): QueueModelSpec | null => {
  const segments = (fileName.exec(path)?.[1] ?? '').split('.');
  if (segments.length < 2) {
    const remedy = 'name it as in "acme.summary.yaml", in small letters, for the model acme/summary';
    faults.push(faultAt({ ...node.position, line: 1, column: 1 }, 'the file name is not a model id', remedy));
  } else if (segments.includes('requests')) {
    const message = '"requests" cannot be part of a model id';
    faults.push(faultAt({ ...node.position, line: 1, column: 1 }, message, 'choose another name'));
  } else if (segments[0] === 'svc') {
    const message = 'the owner "svc" is reserved for imports and exports';
    faults.push(faultAt({ ...node.position, line: 1, column: 1 }, message, 'choose another name'));
  } else if (segments[0] === 'queue' || segments[0] === 'run') {
    const message = `a model id cannot begin with "${segments[0]}", as paths do`;
    faults.push(faultAt({ ...node.position, line: 1, column: 1 }, message, 'choose another name'));
  }
  const { enabled, ...model } = (own ? ownFile : teamFile)(node, faults);
  return enabled ? { id: segments.join('/'), ...model } : null;
};

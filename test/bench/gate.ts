/** Both servers say the same before anything is timed: error answers are fast, and so are wrong ones. */
import { createRandom } from './random.js';
import { serialMark, type BenchRequest, type Target } from './load.js';
import type { Shape } from './shapes.js';

export interface Pair {
  readonly server: Target;
  readonly floor: Target;
}

export interface GateOptions {
  readonly samples: number;
  /** Run after every write, so that both write into the same state. */
  reset(): Promise<void>;
}

export interface GateResult {
  /** Bytes of a body, on average. */
  readonly serverBytes: number;
  readonly floorBytes: number;
}

/** @throws Error with the first difference */
export const checkShape = async (shape: Shape, pair: Pair, options: GateOptions): Promise<GateResult> => {
  const random = createRandom(99);
  let serverBytes = 0;
  let floorBytes = 0;
  for (let sample = 0; sample < options.samples; sample += 1) {
    const drawn = shape.draw(random);
    const expected = await ask(pair.floor, drawn.floor);
    if (drawn.floor.method === 'POST') await options.reset();
    const found = await ask(pair.server, drawn.server);
    if (drawn.server.method === 'POST') await options.reset();
    compare(shape, drawn.server, { expected, found });
    serverBytes += Buffer.byteLength(found.text) / options.samples;
    floorBytes += Buffer.byteLength(expected.text) / options.samples;
  }
  return { serverBytes: Math.round(serverBytes), floorBytes: Math.round(floorBytes) };
};

interface Answer {
  readonly status: number;
  readonly text: string;
}

const ask = async ({ origin, headers }: Target, { method, path, body }: BenchRequest): Promise<Answer> => {
  const response = await fetch(`${origin}${path}`, {
    method,
    headers: { ...headers, ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) },
    ...(body === undefined ? {} : { body: body.replaceAll(serialMark, '000000000000') }),
  });
  return { status: response.status, text: await response.text() };
};

const compare = (
  shape: Shape,
  request: BenchRequest,
  { expected, found }: { readonly expected: Answer; readonly found: Answer },
): void => {
  const fail = (what: string): never => {
    throw new Error(`${shape.name}: ${request.method} ${request.path}\n  ${what}`);
  };
  if (expected.status !== 200) fail(`the floor answers ${expected.status} ${expected.text.slice(0, 500)}`);
  if (found.status !== 200) fail(`the server answers ${found.status} ${found.text.slice(0, 500)}`);
  const wanted = JSON.parse(expected.text) as { data: unknown };
  if (Array.isArray(wanted.data) && wanted.data.length === 0) fail('finds nothing');
  const answer: unknown = JSON.parse(found.text);
  const difference = findDifference(wanted, shape.toFloor?.(answer) ?? answer, '$');
  if (difference !== null) fail(difference);
};

/** The first place where two JSON values differ; the order of keys is free. */
const findDifference = (wanted: unknown, found: unknown, path: string): string | null => {
  if (!isBranch(wanted) || !isBranch(found) || Array.isArray(wanted) !== Array.isArray(found)) {
    if (Object.is(wanted, found)) return null;
    return `${path}: the floor says ${JSON.stringify(wanted)}, the server ${JSON.stringify(found)}`;
  }
  const keys = new Set([...Object.keys(wanted), ...Object.keys(found)]);
  for (const key of keys) {
    const difference = findDifference(wanted[key], found[key], `${path}.${key}`);
    if (difference !== null) return difference;
  }
  return null;
};

const isBranch = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

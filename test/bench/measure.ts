/** One shape on both servers, in turns: floor, server, server, floor, … Ratios are taken inside a round. */
import { readCpu, readTreeCpu } from './cpu.js';
import { createRandom } from './random.js';
import { runLoad, type BenchRequest, type LoadResult } from './load.js';
import type { Running } from './servers.js';
import type { Shape } from './shapes.js';

export interface Sides<Value> {
  readonly floor: Value;
  readonly server: Value;
}

export type Side = keyof Sides<unknown>;

export interface Turn {
  readonly requestsPerSecond: number;
  /** CPU microseconds a request. */
  readonly nodeMicros: number;
  readonly databaseMicros: number | null;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  readonly bytes: number;
}

export interface ShapeResult {
  readonly shape: string;
  readonly title: string;
  /** Least ratio; `null` where it is not judged. */
  readonly target: number | null;
  /** Ratio to work towards; `null` if none is set. */
  readonly aim: number | null;
  readonly rounds: readonly Sides<Turn>[];
  /** Requests a second, server ÷ floor, one per round. */
  readonly ratios: readonly number[];
}

export interface MeasureOptions {
  readonly target: number | null;
  readonly rounds: number;
  readonly seconds: number;
  readonly connections: number;
  /** `null`: the database runs inside the server. */
  readonly databasePid: number | null;
  /** Brings the database back to what it was; before every turn of a shape that writes. */
  reset(): Promise<void>;
}

/** More than a cache of plans by their text is likely to hold; a body is new in every request anyway. */
const requestsDrawn = 20_000;
const warmUpSeconds = 5;

export const measureShape = async (
  shape: Shape,
  running: Sides<Running>,
  options: MeasureOptions,
): Promise<ShapeResult> => {
  const requests = drawRequests(shape);
  const writes = requests.server.some((request) => request.method !== 'GET');
  const turn = async (side: Side, seconds: number): Promise<Turn> => {
    if (writes) await options.reset();
    const { connections = options.connections } = shape;
    return takeTurn(running[side], { ...options, connections, requests: requests[side], seconds });
  };
  await turn('floor', warmUpSeconds);
  await turn('server', warmUpSeconds);
  const rounds: Sides<Turn>[] = [];
  for (let round = 0; round < options.rounds; round += 1) {
    const order: readonly Side[] = round % 2 === 0 ? ['floor', 'server'] : ['server', 'floor'];
    const turns = new Map<Side, Turn>();
    for (const side of order) turns.set(side, await turn(side, options.seconds));
    rounds.push({ floor: turns.get('floor') as Turn, server: turns.get('server') as Turn });
  }
  if (writes) await options.reset();
  const ratios = rounds.map(({ floor, server }) => server.requestsPerSecond / floor.requestsPerSecond);
  const { name, title, aim = null } = shape;
  return { shape: name, title, target: options.target, aim, rounds, ratios };
};

const drawRequests = (shape: Shape): Sides<BenchRequest[]> => {
  const random = createRandom(7);
  const drawn = Array.from({ length: shape.drawn ?? requestsDrawn }, () => shape.draw(random));
  return { floor: drawn.map((pair) => pair.floor), server: drawn.map((pair) => pair.server) };
};

interface TurnOptions {
  readonly requests: readonly BenchRequest[];
  readonly seconds: number;
  readonly connections: number;
  readonly databasePid: number | null;
}

const takeTurn = async ({ pid, target }: Running, options: TurnOptions): Promise<Turn> => {
  const database = (): number | null =>
    options.databasePid === null ? null : readTreeCpu(options.databasePid);
  const node = readCpu(pid);
  const databaseBefore = database();
  const { requests, seconds, connections } = options;
  const load = await runLoad({ target, requests, seconds, connections });
  const databaseAfter = database();
  return {
    ...latencyOf(load),
    nodeMicros: (readCpu(pid) - node) / load.requests,
    databaseMicros:
      databaseBefore === null || databaseAfter === null
        ? null
        : (databaseAfter - databaseBefore) / load.requests,
  };
};

const latencyOf = (load: LoadResult): Omit<Turn, 'nodeMicros' | 'databaseMicros'> => ({
  requestsPerSecond: load.requestsPerSecond,
  p50: load.p50,
  p99: load.p99,
  bytes: load.bytesPerRequest,
});

export const median = (values: readonly number[]): number => {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
};

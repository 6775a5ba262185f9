/**
 * Server-sent events with the status of requests. All streams share one polling loop, so the number of
 * queries does not grow with each stream.
 */
import { Readable } from 'node:stream';
import type { QueueSettings } from '../settings.js';
import { statusBody } from '../requests/status.js';
import { readLogs, type StoredLine } from '../store/logs.js';
import { countBefore, findRequests, type RequestHead } from '../store/requests.js';
import type { Statements } from '../../execute/system-rows.js';

export interface Streams {
  /** Streams events until the request ends. */
  follow(id: string, logs: boolean): Readable;
  close(): void;
}

/** Polling interval in milliseconds. */
const turn = 250;
const defaultKeepAlive = 15_000;
/** Maximum number of requests per statement. */
const chunkSize = 256;

interface Follower {
  readonly id: string;
  readonly logs: boolean;
  readonly stream: Readable;
  /** Last state and position sent, without logs. */
  told: string;
  /** Number of the last log line sent. */
  line: number;
  spoke: number;
}

/** @param keepAlive milliseconds of silence after which a comment is sent */
export const createStreams = (
  statements: Statements,
  settings: QueueSettings,
  keepAlive = defaultKeepAlive,
): Streams => {
  const followers = new Set<Follower>();
  let timer: NodeJS.Timeout | null = null;

  const schedule = (): void => {
    if (timer !== null || followers.size === 0) return;
    timer = setTimeout(() => {
      look()
        .catch(() => undefined)
        .finally(() => {
          timer = null;
          schedule();
        });
    }, turn);
  };

  const look = async (): Promise<void> => {
    const all = [...followers];
    for (let from = 0; from < all.length; from += chunkSize) {
      await tell(all.slice(from, from + chunkSize));
    }
  };

  const tell = async (some: readonly Follower[]): Promise<void> => {
    const ids = [...new Set(some.map(({ id }) => id))];
    const requests = new Map((await findRequests(statements, ids)).map((request) => [request.id, request]));
    const lines = await newLines(some.filter(({ logs }) => logs));
    for (const follower of some) {
      const request = requests.get(follower.id);
      if (request === undefined) finish(follower);
      else await speak(follower, request, lines.get(follower.id) ?? []);
    }
  };

  const newLines = async (some: readonly Follower[]): Promise<Map<string, StoredLine[]>> => {
    const byRequest = new Map<string, StoredLine[]>();
    if (some.length === 0) return byRequest;
    const after = Math.min(...some.map(({ line }) => line));
    for (const line of await readLogs(statements, [...new Set(some.map(({ id }) => id))], after)) {
      byRequest.set(line.request, [...(byRequest.get(line.request) ?? []), line]);
    }
    return byRequest;
  };

  const speak = async (
    follower: Follower,
    request: RequestHead,
    known: readonly StoredLine[],
  ): Promise<void> => {
    const fresh = known.filter(({ number }) => number > follower.line);
    const position = request.state === 'waiting' ? await countBefore(statements, request) : 0;
    const told = `${request.state} ${position}`;
    if (told !== follower.told || fresh.length > 0) {
      const body = statusBody(request, { position, lines: follower.logs ? fresh : null, settings });
      push(follower, `data: ${JSON.stringify(body)}\n\n`);
      follower.told = told;
      follower.line = fresh.at(-1)?.number ?? follower.line;
    } else if (Date.now() - follower.spoke >= keepAlive) push(follower, ': still here\n\n');
    if (request.state === 'ended') finish(follower);
  };

  const push = (follower: Follower, text: string): void => {
    follower.stream.push(text);
    follower.spoke = Date.now();
  };

  const finish = (follower: Follower): void => {
    followers.delete(follower);
    follower.stream.push(null);
  };

  return {
    follow(id, logs) {
      const stream = new Readable({ read: () => undefined, highWaterMark: 4096 });
      const follower: Follower = { id, logs, stream, told: '', line: 0, spoke: Date.now() };
      stream.once('close', () => followers.delete(follower));
      followers.add(follower);
      void tell([follower]).catch((error: Error) => stream.destroy(error));
      schedule();
      return stream;
    },
    close() {
      if (timer !== null) clearTimeout(timer);
      for (const follower of followers) finish(follower);
    },
  };
};

/**
 * Server-sent events with the status of requests. All streams share one polling loop, so the number of
 * queries does not grow with each stream.
 */
import { Readable } from 'node:stream';
import type { QueueSettings } from '../settings.js';
import { statusBody } from '../requests/status.js';
import { readLogs, type StoredLogLine } from '../store/logs.js';
import { countAhead, findRequests, type RequestHead } from '../store/requests.js';
import type { Statements } from '../../execute/system-rows.js';

export interface Streams {
  /** Streams events until the request ends. */
  follow(id: string, logs: boolean): Readable;
  close(): void;
}

/** Polling interval in milliseconds. */
const pollInterval = 250;
const defaultKeepAlive = 15_000;
/** Maximum number of requests per statement. */
const chunkSize = 256;

interface Follower {
  readonly id: string;
  readonly logs: boolean;
  readonly stream: Readable;
  /** Last state and position sent, without logs. */
  lastStatus: string;
  /** Sequence number of the last log line sent. */
  lastLogNumber: number;
  lastSent: number;
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
      poll()
        .catch(() => undefined)
        .finally(() => {
          timer = null;
          schedule();
        });
    }, pollInterval);
  };

  const poll = async (): Promise<void> => {
    const all = [...followers];
    for (let from = 0; from < all.length; from += chunkSize) {
      await update(all.slice(from, from + chunkSize));
    }
  };

  const update = async (some: readonly Follower[]): Promise<void> => {
    const ids = [...new Set(some.map(({ id }) => id))];
    const requests = new Map((await findRequests(statements, ids)).map((request) => [request.id, request]));
    const lines = await newLogs(some.filter(({ logs }) => logs));
    for (const follower of some) {
      const request = requests.get(follower.id);
      if (request === undefined) finish(follower);
      else await sendUpdate(follower, request, lines.get(follower.id) ?? []);
    }
  };

  const newLogs = async (some: readonly Follower[]): Promise<Map<string, StoredLogLine[]>> => {
    const byRequest = new Map<string, StoredLogLine[]>();
    if (some.length === 0) return byRequest;
    const after = Math.min(...some.map(({ lastLogNumber }) => lastLogNumber));
    for (const line of await readLogs(statements, [...new Set(some.map(({ id }) => id))], after)) {
      byRequest.set(line.request, [...(byRequest.get(line.request) ?? []), line]);
    }
    return byRequest;
  };

  const sendUpdate = async (
    follower: Follower,
    request: RequestHead,
    known: readonly StoredLogLine[],
  ): Promise<void> => {
    const fresh = known.filter(({ number }) => number > follower.lastLogNumber);
    const position = request.state === 'waiting' ? await countAhead(statements, request) : 0;
    const status = `${request.state} ${position}`;
    if (status !== follower.lastStatus || fresh.length > 0) {
      const body = statusBody(request, { position, lines: follower.logs ? fresh : null, settings });
      push(follower, `data: ${JSON.stringify(body)}\n\n`);
      follower.lastStatus = status;
      follower.lastLogNumber = fresh.at(-1)?.number ?? follower.lastLogNumber;
    } else if (Date.now() - follower.lastSent >= keepAlive) push(follower, ': still here\n\n');
    if (request.state === 'ended') finish(follower);
  };

  const push = (follower: Follower, text: string): void => {
    follower.stream.push(text);
    follower.lastSent = Date.now();
  };

  const finish = (follower: Follower): void => {
    followers.delete(follower);
    follower.stream.push(null);
  };

  return {
    follow(id, logs) {
      const stream = new Readable({ read: () => undefined, highWaterMark: 4096 });
      const follower: Follower = { id, logs, stream, lastStatus: '', lastLogNumber: 0, lastSent: Date.now() };
      stream.once('close', () => followers.delete(follower));
      followers.add(follower);
      void update([follower]).catch((error: Error) => stream.destroy(error));
      schedule();
      return stream;
    },
    close() {
      if (timer !== null) clearTimeout(timer);
      for (const follower of followers) finish(follower);
    },
  };
};

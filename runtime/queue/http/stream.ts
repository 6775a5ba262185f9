/**
 * Server-sent events with the status of requests. All streams of a process share one polling loop, in which requests are
 * read together; each stream has its own position in the log.
 */
import { Readable } from 'node:stream';
import type { QueueObservation } from '../../observe.js';
import type { QueueSettings } from '../settings.js';
import { progressOf, statusBody } from '../requests/status.js';
import { isAfter, pageSize, readLogs, type LogCursor, type LogLine } from '../store/logs.js';
import { countAhead } from '../store/waiting-counts.js';
import { findRequests } from '../store/requests.js';
import type { RequestHead } from '../store/request-head.js';
import type { Statements } from '../../execute/system-rows.js';

/** The open streams of a process. */
export interface Streams {
  /** Streams events until the request ends, or the caller may no longer see it. */
  follow(followed: Followed): Readable;
  /** Ends all streams, and has their clients connect again after `reconnectAfter`. */
  close(): void;
}

/** Polling interval in milliseconds. */
const pollInterval = 250;
const defaultKeepAlive = 15_000;
/** Milliseconds after which clients connect again to another process. */
const reconnectAfter = 1_000;
/** Maximum number of requests per statement. */
const chunkSize = 64;
/** Bytes that wait for a slow reader, after which nothing more is read for it. */
const maxBuffered = 1_000_000;

/** The request that a caller follows. */
export interface Followed {
  readonly id: string;
  /** Position after which log lines are sent, or null for none. */
  readonly after: LogCursor | null;
  /** Returns whether the caller may still see the request; called with every poll. */
  isPermitted(): Promise<boolean>;
}

interface Follower extends Pick<Followed, 'id' | 'isPermitted'> {
  readonly stream: Readable;
  /** Last state and position sent, without logs. */
  lastStatus: string;
  /** Position of the last log line sent; `null` if lines are not requested. */
  cursor: LogCursor | null;
  /** By the monotonic clock. */
  lastSent: number;
}

/** State that all streams of a process share. */
interface Polling {
  readonly statements: Statements;
  readonly settings: QueueSettings;
  /** Milliseconds of silence after which a comment is sent. */
  readonly keepAlive: number;
  readonly followers: Set<Follower>;
  readonly observe: (observation: QueueObservation) => void;
  /** Timer of the next poll; `null` while there is none. */
  timer: NodeJS.Timeout | null;
}

/** Settings and services that streams use. */
export interface StreamOptions {
  readonly database: Statements;
  readonly settings: QueueSettings;
  readonly observe: (observation: QueueObservation) => void;
  /** Milliseconds of silence after which a comment is sent. */
  readonly keepAlive?: number;
}

/** Creates the streams of a process; polling begins with the first one. */
export const createStreams = ({
  database,
  keepAlive = defaultKeepAlive,
  ...shared
}: StreamOptions): Streams => {
  const followers = new Set<Follower>();
  const polling: Polling = { ...shared, statements: database, keepAlive, followers, timer: null };
  return {
    follow: (followed) => follow(followed, polling),
    close() {
      if (polling.timer !== null) clearTimeout(polling.timer);
      for (const follower of polling.followers) {
        push(follower, `retry: ${reconnectAfter}\n\n`, polling);
        finish(follower, polling);
      }
    },
  };
};

const follow = ({ after, ...followed }: Followed, polling: Polling): Readable => {
  const stream = new Readable({ read: () => undefined, highWaterMark: 4096 });
  const follower: Follower = {
    ...followed,
    stream,
    cursor: after,
    lastStatus: '',
    lastSent: performance.now(),
  };
  stream.once('close', () => {
    polling.followers.delete(follower);
    polling.observe({ kind: 'streamEnded' });
  });
  polling.followers.add(follower);
  polling.observe({ kind: 'streamOpened' });
  void update([follower], polling).catch((error: Error) => stream.destroy(error));
  schedulePoll(polling);
  return stream;
};

const schedulePoll = (polling: Polling): void => {
  if (polling.timer !== null || polling.followers.size === 0) return;
  polling.timer = setTimeout(() => {
    poll(polling)
      .catch(() => undefined)
      .finally(() => {
        polling.timer = null;
        schedulePoll(polling);
      });
  }, pollInterval);
};

const poll = async (polling: Polling): Promise<void> => {
  const all = [...polling.followers].filter(({ stream }) => stream.readableLength <= maxBuffered);
  for (let from = 0; from < all.length; from += chunkSize) {
    await update(all.slice(from, from + chunkSize), polling);
  }
};

const update = async (all: readonly Follower[], polling: Polling): Promise<void> => {
  const { statements } = polling;
  const some = await keepPermitted(all, polling);
  if (some.length === 0) return;
  // read before the lines, so that an ended request has all of them
  const requests = new Map((await findRequests(statements, idsOf(some))).map((each) => [each.id, each]));
  const lines = await newLogs(some, statements);
  const progress = await progressOf([...requests.values()], statements);
  for (const follower of some) {
    const request = requests.get(follower.id);
    if (request === undefined) finish(follower, polling);
    else {
      const state = {
        request,
        progress: progress.get(request.id) ?? null,
        lines: lines.get(request.id) ?? [],
      };
      await sendUpdate(follower, state, polling);
    }
  }
};

/** Ends the streams of callers that lost access to their request, and returns the others. */
const keepPermitted = async (
  followers: readonly Follower[],
  polling: Polling,
): Promise<readonly Follower[]> => {
  const permitted = await Promise.all(followers.map((follower) => follower.isPermitted()));
  followers.filter((_, index) => !permitted[index]).forEach((follower) => finish(follower, polling));
  return followers.filter((_, index) => permitted[index]);
};

const idsOf = (followers: readonly Follower[]): readonly string[] => [
  ...new Set(followers.map(({ id }) => id)),
];

/** Reads the lines that at least one follower has not been sent, by request. */
const newLogs = async (
  followers: readonly Follower[],
  statements: Statements,
): Promise<Map<string, readonly LogLine[]>> => {
  const tails = new Map<string, LogCursor>();
  for (const { id, cursor } of followers) {
    const known = tails.get(id);
    if (cursor !== null && (known === undefined || isAfter(known, cursor))) tails.set(id, cursor);
  }
  const found = new Map<string, LogLine[]>();
  for (let isComplete = false; !isComplete;) {
    const positions = [...tails].map(([request, after]) => ({ request, after }));
    const lines = await readLogs(statements, positions);
    for (const line of lines) {
      found.set(line.request, [...(found.get(line.request) ?? []), line]);
      tails.set(line.request, line);
    }
    isComplete = lines.length < pageSize;
  }
  return found;
};

interface CurrentState {
  readonly request: RequestHead;
  /** Percentage; `null` where the model has no progress. */
  readonly progress: number | null;
  /** Lines that at least one follower of the request has not been sent. */
  readonly lines: readonly LogLine[];
}

const sendUpdate = async (
  follower: Follower,
  { request, progress, lines }: CurrentState,
  polling: Polling,
): Promise<void> => {
  const { statements, settings, keepAlive } = polling;
  const { cursor } = follower;
  const fresh = cursor === null ? null : lines.filter((line) => isAfter(line, cursor));
  const position = request.state === 'waiting' ? await countAhead(statements, request) : 0;
  const status = `${request.state} ${position} ${progress ?? ''}`;
  if (status !== follower.lastStatus || (fresh !== null && fresh.length > 0)) {
    follower.lastStatus = status;
    follower.cursor = fresh?.at(-1) ?? cursor;
    const body = statusBody(request, {
      position,
      progress,
      lines: fresh,
      cursor: follower.cursor,
      settings,
    });
    const id = body.logs_cursor === undefined ? '' : `id: ${body.logs_cursor}\n`;
    push(follower, `data: ${JSON.stringify(body)}\n${id}\n`, polling);
  } else if (performance.now() - follower.lastSent >= keepAlive) push(follower, ': still here\n\n', polling);
  if (request.state === 'ended') finish(follower, polling);
};

/** Sends nothing to a stream that has ended meanwhile, as when the server stops during an update. */
const push = (follower: Follower, text: string, { followers }: Polling): void => {
  if (!followers.has(follower)) return;
  follower.stream.push(text);
  follower.lastSent = performance.now();
};

const finish = (follower: Follower, { followers }: Polling): void => {
  followers.delete(follower);
  follower.stream.push(null);
};

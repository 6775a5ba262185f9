/** Transfers of an instance that runs: requests of its queue, which are followed to their end. */
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { setTimeout as sleep } from 'node:timers/promises';
import { Refusal } from '../../config/refusal.js';
import type { Remote } from '../remote.js';
import { writeWhole } from './files.js';
import type { ImportTask, TransferControl, TransferEnd, TransferTarget } from './target.js';

/** Creates the target. A cancelled transfer cancels its request; rows that were stored before it stay. */
export const createRemoteTarget = (remote: Remote): TransferTarget => ({
  async import(task, control) {
    const end = await follow(await upload(task, { remote, control }), { remote, control });
    await download(end.body.rejected_rows, task.rejected, remote);
    return end;
  },
  async export({ collection, format, query, file }, control) {
    const response = await remote.send(`items/${encodeURIComponent(collection)}/export`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ format, query }),
    });
    const end = await follow(await readSubmitted(response, remote), { remote, control });
    await download(end.body.file, file, remote);
    return end;
  },
});

interface Context {
  readonly remote: Remote;
  readonly control: TransferControl;
}

/** A request of the queue; URLs of its status, result and cancellation. */
interface Submitted {
  readonly request_id: string;
  readonly status_url: string;
  readonly response_url: string;
  readonly cancel_url: string;
}

const upload = async (
  { collection, path, parameters }: ImportTask,
  { remote, control }: Context,
): Promise<Submitted> => {
  const { size } = await stat(path);
  let sent = 0;
  const measure = async function* (): AsyncGenerator<Buffer, void, void> {
    for await (const chunk of createReadStream(path)) {
      sent += (chunk as Buffer).length;
      control.onProgress(Math.floor((100 * sent) / size), 'uploading');
      yield chunk as Buffer;
    }
  };
  const init = {
    method: 'POST',
    headers: { 'content-length': String(size) },
    body: Readable.toWeb(Readable.from(measure())),
    duplex: 'half',
    signal: control.signal,
  };
  const target = `items/${encodeURIComponent(collection)}/import?${parameters}`;
  const response = await remote.send(target, init as unknown as RequestInit).catch((error: unknown) => {
    throw control.signal.aborted
      ? new Refusal('interrupted before the file was sent; nothing is stored')
      : error;
  });
  return readSubmitted(response, remote);
};

const readSubmitted = async (response: Response, remote: Remote): Promise<Submitted> => {
  if (!response.ok) throw await remote.toRefusal(response);
  return (await response.json()) as Submitted;
};

/** Milliseconds between two requests for the status. */
const lookInterval = 300;
/** Milliseconds for which the instance may be away while its request runs. */
const awayLimit = 60_000;

interface Status {
  readonly status: 'IN_QUEUE' | 'IN_PROGRESS' | 'COMPLETED';
  readonly progress?: number;
}

/** Follows a request to its end, and cancels it when the user interrupts. */
const follow = async (submitted: Submitted, { remote, control }: Context): Promise<TransferEnd> => {
  let isCancelled = false;
  let lastSeen = Date.now();
  for (;;) {
    if (control.signal.aborted && !isCancelled) {
      isCancelled = true;
      await remote.send(submitted.cancel_url, { method: 'PUT' });
    }
    const status = await readStatus(submitted, remote).catch((error: unknown) => {
      if (Date.now() - lastSeen > awayLimit || !(error instanceof Refusal)) throw error;
      return null;
    });
    if (status !== null) {
      lastSeen = Date.now();
      if (status.status === 'COMPLETED') return readEnd(submitted, isCancelled, remote);
      control.onProgress(status.progress ?? 0, isCancelled ? 'cancelling' : texts[status.status]);
    }
    await sleep(lookInterval);
  }
};

const texts = { IN_QUEUE: 'waiting in the queue', IN_PROGRESS: 'running' } as const;

/** @throws Refusal where the instance is away */
const readStatus = async (
  { status_url: url, request_id: id }: Submitted,
  remote: Remote,
): Promise<Status> => {
  const response = await remote.send(url);
  if (response.ok || response.status === 202) return (await response.json()) as Status;
  if (response.status === 429 || response.status >= 500) throw await remote.toRefusal(response);
  throw new Error(`the status of the request ${id} is gone: ${(await remote.toRefusal(response)).message}`);
};

const readEnd = async (
  { response_url: url }: Submitted,
  isCancelled: boolean,
  remote: Remote,
): Promise<TransferEnd> => {
  const response = await remote.send(url);
  if (response.status === 499 || (isCancelled && !response.ok))
    throw new Refusal('cancelled; the rows that were stored before it stay');
  return { status: response.status, body: (await response.json()) as TransferEnd['body'] };
};

/** Writes a stored file of a result, if it has one. The URL is signed, and may be that of an object store: no token. */
const download = async (stored: unknown, file: string, remote: Remote): Promise<void> => {
  if (stored === null || stored === undefined) return;
  const { url } = stored as { readonly url: string };
  const response = await fetch(url);
  if (!response.ok) throw await remote.toRefusal(response);
  await writeWhole(Readable.fromWeb(response.body as ReadableStream), file);
};

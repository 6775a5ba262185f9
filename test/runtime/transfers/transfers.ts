/** Submits imports and exports, and waits for their end. */
import { until } from '../../until.js';
import type { TestServer } from '../server-harness.js';

interface Sent {
  readonly as: string;
  readonly raw?: string | Uint8Array;
  readonly body?: unknown;
  readonly type?: string;
}

/** Paths of a request in the queue. */
export interface Submitted {
  readonly id: string;
  readonly path: string;
}

interface StoredFile {
  readonly url: string;
}

/** Result of an import or export. */
interface TransferResult {
  readonly rejected_rows: StoredFile;
  readonly file: StoredFile;
}

export interface Ended {
  readonly status: number;
  readonly body: TransferResult;
  readonly progress: number;
}

export const submit = async (
  server: Pick<TestServer, 'request'>,
  path: string,
  { as, raw, body, type }: Sent,
): Promise<Submitted> => {
  const answer = await server.request('POST', path, {
    as,
    ...(raw !== undefined && { raw }),
    ...(body !== undefined && { body }),
    ...(type !== undefined && { headers: { 'content-type': type } }),
  });
  if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`);
  const { request_id: id, response_url: url } = answer.body as { request_id: string; response_url: string };
  return { id, path: new URL(url).pathname };
};

/** Waits for the end of a request, and returns its result. */
export const endOf = async (
  server: Pick<TestServer, 'request'>,
  { id, path }: Submitted,
  as: string,
): Promise<Ended> => {
  const last = await until(
    async () => {
      const { body } = await server.request('GET', `${path}/status`, { as });
      const status = body as { status: string; progress: number };
      return status.status === 'COMPLETED' ? status : null;
    },
    { what: `the request ${id} ends` },
  );
  const { status, body } = await server.request('GET', path, { as });
  return { status, body: body as TransferResult, progress: last.progress };
};

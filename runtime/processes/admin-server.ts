/** The listener on ADMIN_PORT: `/live`, `/ready`, `/health` and `/metrics`. It is for the own network: nothing is signed in. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { toHealth, type Parts, type Role } from './health.js';

export interface AdminServer {
  readonly port: number;
  close(): void;
}

export interface AdminServerOptions {
  readonly host: string;
  readonly port: number;
  readonly role: Role;
  /** Version of the package. */
  readonly version: string;
  /** Returns whether work is accepted. */
  isReady(): boolean | Promise<boolean>;
  /** Returns why the schema as it is now cannot be served; null where it can. The one before is. */
  schemaFailure?(): string | null;
  /** Returns the state of each part. */
  parts(): Promise<Parts>;
  /** Returns the metrics in the text format of Prometheus. */
  metrics(): Promise<string>;
}

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

/** Serves a process from its start, so that one that waits for its database is not mistaken for a dead one. */
export const serveAdmin = (options: AdminServerOptions): Promise<AdminServer> =>
  new Promise((resolve, reject) => {
    const server = createServer((request, response) => {
      void answer(request.url?.split('?')[0], options)
        .catch((): Answer => plain(500, 'an unexpected error occurred\n'))
        .then(({ status, type, text }) => {
          response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' });
          response.end(request.method === 'HEAD' ? undefined : text);
        });
    });
    server.once('error', reject);
    server.listen(options.port, options.host, () => {
      resolve({
        port: (server.address() as AddressInfo).port,
        close: () => {
          server.close();
          server.closeAllConnections();
        },
      });
    });
  });

const plain = (status: number, text: string): Answer => ({ status, type: 'text/plain; charset=utf-8', text });

const answer = async (path: string | undefined, options: AdminServerOptions): Promise<Answer> => {
  if (path === '/live') return plain(200, 'live\n');
  if (path === '/ready') return answerReady(options);
  if (path === '/health') return answerHealth(options);
  if (path === '/metrics')
    return { status: 200, type: 'text/plain; version=0.0.4; charset=utf-8', text: await options.metrics() };
  return plain(404, 'expected /live, /ready, /health or /metrics\n');
};

const answerReady = async ({ isReady, schemaFailure }: AdminServerOptions): Promise<Answer> => {
  if (!(await isReady())) return plain(503, 'not ready\n');
  const failure = schemaFailure?.() ?? null;
  return plain(
    200,
    failure === null ? 'ready\n' : `ready\nthe schema has changed and cannot be served: ${failure}\n`,
  );
};

const answerHealth = async ({ role, version, parts }: AdminServerOptions): Promise<Answer> => {
  const health = toHealth({ role, version, parts: await parts() });
  return {
    status: health.status === 'failed' ? 503 : 200,
    type: 'application/json; charset=utf-8',
    text: `${JSON.stringify(health)}\n`,
  };
};

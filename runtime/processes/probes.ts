/** The listener for health checks: `/live` and `/ready` on ADMIN_PORT. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Probes {
  readonly port: number;
  close(): void;
}

export interface ProbeOptions {
  readonly host: string;
  readonly port: number;
  isReady(): boolean;
  /** Returns why the schema as it is now cannot be served; null where it can. The one before is. */
  schemaFailure(): string | null;
}

/** Serves `/live` (200 while the process runs) and `/ready` (503 while requests are not accepted). */
export const serveProbes = ({ host, port, ...state }: ProbeOptions): Promise<Probes> =>
  new Promise((resolve, reject) => {
    const server = createServer((request, response) => {
      const [status, text] = answer(request.url?.split('?')[0], state);
      response.writeHead(status, {
        'content-type': 'text/plain; charset=utf-8',
        'cache-control': 'no-store',
      });
      response.end(request.method === 'HEAD' ? undefined : text);
    });
    server.once('error', reject);
    server.listen(port, host, () => {
      resolve({
        port: (server.address() as AddressInfo).port,
        close: () => {
          server.close();
          server.closeAllConnections();
        },
      });
    });
  });

type State = Pick<ProbeOptions, 'isReady' | 'schemaFailure'>;

const answer = (path: string | undefined, { isReady, schemaFailure }: State): [number, string] => {
  if (path === '/live') return [200, 'live\n'];
  if (path !== '/ready') return [404, 'expected /live or /ready\n'];
  if (!isReady()) return [503, 'not ready\n'];
  const failure = schemaFailure();
  return [
    200,
    failure === null ? 'ready\n' : `ready\nthe schema has changed and cannot be served: ${failure}\n`,
  ];
};

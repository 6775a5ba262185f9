/** The listener for health checks: `/live` and `/ready` on ADMIN_PORT. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Probes {
  readonly port: number;
  close(): void;
}

/** Serves `/live` (200 while the process runs) and `/ready` (503 while requests are not accepted). */
export const serveProbes = (host: string, port: number, isReady: () => boolean): Promise<Probes> =>
  new Promise((resolve, reject) => {
    const server = createServer((request, response) => {
      const [status, text] = answer(request.url?.split('?')[0], isReady);
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

const answer = (path: string | undefined, isReady: () => boolean): [number, string] => {
  if (path === '/live') return [200, 'live\n'];
  if (path !== '/ready') return [404, 'expected /live or /ready\n'];
  return isReady() ? [200, 'ready\n'] : [503, 'not ready\n'];
};

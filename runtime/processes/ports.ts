/** Ports that nobody listens on yet. */
import { createServer, type AddressInfo } from 'node:net';

/** @returns the port, another one where `port` is 0; `null` where it is taken */
const tryPort = (host: string, port: number): Promise<number | null> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(null));
    server.listen(port, host, () => {
      const found = (server.address() as AddressInfo).port;
      server.close(() => resolve(found));
    });
  });

export const isFree = async (host: string, port: number): Promise<boolean> =>
  (await tryPort(host, port)) !== null;

/** The port itself, or a free one where it is 0. */
export const choosePort = async (host: string, port: number): Promise<number> =>
  port === 0 ? ((await tryPort(host, 0)) ?? 0) : port;

/** Selection of free ports. */
import { createServer, type AddressInfo } from 'node:net';

/**
 * Tries to listen on a port.
 * @returns the port, or the one assigned where `port` is 0; null if it is taken
 */
const tryPort = (host: string, port: number): Promise<number | null> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(null));
    server.listen(port, host, () => {
      const found = (server.address() as AddressInfo).port;
      server.close(() => resolve(found));
    });
  });

/**
 * Returns whether a port can be listened on at this moment; another process may take it before it is used.
 */
export const isFree = async (host: string, port: number): Promise<boolean> =>
  (await tryPort(host, port)) !== null;

/** Returns the given port, or a free one for 0. */
export const choosePort = async (host: string, port: number): Promise<number> =>
  port === 0 ? ((await tryPort(host, 0)) ?? 0) : port;

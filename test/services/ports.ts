/** Reserves ports for servers that need to know theirs before they listen. */
import { connect, createServer, type Server } from 'node:net';

/** Below the ephemeral range, from which systems assign ports to listeners on port 0 and outgoing connections. */
const firstPort = 20_000;
const portCount = 10_000;

/** Offset of the port whose listener marks a port as reserved. */
const lockDistance = -10_000;

/**
 * Reserves a port until this process ends; a server may listen on it any number of times.
 * @throws Error after a hundred attempts
 */
export const reservePort = async (): Promise<number> => {
  for (let tries = 0; tries < 100; tries += 1) {
    const port = firstPort + Math.floor(Math.random() * portCount);
    if (await reserve(port)) return port;
  }
  throw new Error(`no port between ${firstPort} and ${firstPort + portCount} is free`);
};

/** Returns whether a server accepts connections on a port of this machine. */
export const isListening = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });

const reserve = async (port: number): Promise<boolean> => {
  const reservation = await listen(port + lockDistance);
  if (reservation === null) return false;
  const probe = await listen(port);
  if (probe === null) {
    reservation.close();
    return false;
  }
  await new Promise((resolve) => probe.close(resolve));
  reservation.unref();
  return true;
};

/** Listens on a port. @returns null if the port is in use */
const listen = (port: number): Promise<Server | null> =>
  new Promise((resolve) => {
    const server = createServer((socket) => socket.destroy());
    server.once('error', () => resolve(null));
    server.listen(port, '127.0.0.1', () => resolve(server));
  });

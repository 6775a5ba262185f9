/** Ports for servers that have to know theirs before they listen. */
import { createServer, type Server } from 'node:net';

/** Below the ports that systems hand out by themselves, to listeners on port 0 and to outgoing connections. */
const first = 20_000;
const count = 10_000;

/** From a port to the one whose listener says that it is taken. */
const distance = -10_000;

/**
 * Reserves a port until this process ends: nothing else gets it, and a server may listen on it any number of times.
 * @throws Error when none of a hundred is free
 */
export const reservePort = async (): Promise<number> => {
  for (let tries = 0; tries < 100; tries += 1) {
    const port = first + Math.floor(Math.random() * count);
    if (await reserve(port)) return port;
  }
  throw new Error(`no port between ${first} and ${first + count} is free`);
};

const reserve = async (port: number): Promise<boolean> => {
  const reservation = await listen(port + distance);
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

/** `null`: the port is taken. */
const listen = (port: number): Promise<Server | null> =>
  new Promise((resolve) => {
    const server = createServer((socket) => socket.destroy());
    server.once('error', () => resolve(null));
    server.listen(port, '127.0.0.1', () => resolve(server));
  });

/**
 * Ends the connections to a server that is silent, as one is that its machine or the network has lost: TCP reports that only
 * after many minutes, and until then every request would wait.
 */
import type { Duplex } from 'node:stream';

/** Milliseconds for which a statement that takes none is waited for. */
const responseLimit = 10_000;

type Run<Connection> = <Result>(task: (connection: Connection) => Promise<Result>) => Promise<Result>;

/**
 * Returns what runs short statements, such as reads of a single row. Where the server does not answer one, all connections are
 * ended, and what they run fails as with a connection that was lost.
 * @param sockets those of all connections to the server
 */
export const endWhereSilent =
  <Connection>(run: Run<Connection>, sockets: ReadonlySet<Duplex>): Run<Connection> =>
  (task) =>
    run(async (connection) => {
      // twice the half, so that a process that was busy for so long reads first what has arrived meanwhile
      let timer = setTimeout(() => {
        timer = setTimeout(() => endAll(sockets), responseLimit / 2);
      }, responseLimit / 2);
      try {
        return await task(connection);
      } finally {
        clearTimeout(timer);
      }
    });

const endAll = (sockets: ReadonlySet<Duplex>): void => {
  for (const socket of sockets) {
    const message = `the database has not answered for ${responseLimit / 1000} s`;
    socket.destroy(Object.assign(new Error(message), { code: 'ETIMEDOUT' }));
  }
};

/** Adds a socket to those of a server until it is closed. */
export const addSocket = (sockets: Set<Duplex>, socket: Duplex): void => {
  sockets.add(socket);
  socket.once('close', () => sockets.delete(socket));
};

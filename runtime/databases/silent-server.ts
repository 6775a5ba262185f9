/**
 * Ends the connections to a server that is silent, as one is that its machine or the network has lost: TCP reports that only
 * after many minutes, and until then every request would wait.
 */
import type { Socket } from 'node:net';

/** Milliseconds for which a statement that takes none is waited for. */
const responseLimit = 10_000;

type Run<Connection> = <Result>(task: (connection: Connection) => Promise<Result>) => Promise<Result>;

/**
 * Returns what runs short statements, such as reads of a single row. Where the server does not answer one, and sends nothing
 * else meanwhile, all connections are ended, and what they run fails as with a connection that was lost. A statement that
 * waits for a lock, as under a backup that locks tables, is no sign of that while others are answered.
 * @param sockets those of all connections to the server
 */
export const endWhereSilent =
  <Connection>(run: Run<Connection>, sockets: ReadonlySet<Socket>): Run<Connection> =>
  (task) =>
    run(async (connection) => {
      let timer: NodeJS.Timeout | undefined;
      const wait = (): void => {
        const before = bytesFrom(sockets);
        // twice the half, so that a process that was busy for so long reads first what has arrived meanwhile
        timer = setTimeout(() => {
          timer = setTimeout(() => {
            if (bytesFrom(sockets) === before) endAll(sockets);
            else wait();
          }, responseLimit / 2);
        }, responseLimit / 2);
      };
      wait();
      try {
        return await task(connection);
      } finally {
        clearTimeout(timer);
      }
    });

/** Counts the bytes that have arrived on open connections. One that ends takes its bytes along, which counts as a change too. */
const bytesFrom = (sockets: ReadonlySet<Socket>): number =>
  [...sockets].reduce((sum, { bytesRead }) => sum + bytesRead, 0);

const endAll = (sockets: ReadonlySet<Socket>): void => {
  for (const socket of sockets) {
    const message = `the database has not answered for ${responseLimit / 1000} s`;
    socket.destroy(Object.assign(new Error(message), { code: 'ETIMEDOUT' }));
  }
};

/** Adds a socket to those of a server until it is closed. */
export const addSocket = (sockets: Set<Socket>, socket: Socket): void => {
  sockets.add(socket);
  socket.once('close', () => sockets.delete(socket));
};

/**
 * Accepts connections and hands them to request processes, in turn. A connection that a process has not taken when it
 * ends goes to another, so that its end costs only the requests it has begun: `node:cluster` would leave such a
 * connection open and unanswered, and without its scheduling one process would get nearly all of them.
 */
import type { ChildProcess } from 'node:child_process';
import { createServer, type Server, type Socket } from 'node:net';
import { acceptBacklog } from '../http/backlog.js';

/** Message that comes with a connection. */
export interface ConnectionMessage {
  readonly kind: 'connection';
  readonly id: number;
  /** True where others wait until the process has taken this one. */
  readonly more: boolean;
}

export interface Connections {
  /** Offers connections to a process until it ends. */
  add(child: ChildProcess): void;
  /** Forgets a connection that a process has taken. */
  take(child: ChildProcess, id: number): void;
  /** Stops offering connections to a process. */
  remove(child: ChildProcess): void;
  /** Stops accepting connections. */
  close(): void;
}

/** Listens on a port; resolves when connections are accepted. @throws Error when the port is taken */
export const acceptConnections = (host: string, port: number): Promise<Connections> =>
  new Promise((resolve, reject) => {
    const distributor = createDistributor();
    // the options of an HTTP server's own connections, but for reading
    const server = createServer({ pauseOnConnect: true, noDelay: true }, distributor.offer);
    server.once('error', reject);
    server.listen({ port, host, backlog: acceptBacklog }, () => resolve(toConnections(server, distributor)));
  });

type Distributor = ReturnType<typeof createDistributor>;

const toConnections = (server: Server, { add, take, remove }: Distributor): Connections => ({
  add,
  take,
  remove,
  close: () => void server.close(),
});

/** @param offered connections of the process, with this one and, often, the last, whose message is still on its way */
const createMessage = (id: number, offered: ReadonlyMap<number, Socket>): ConnectionMessage => ({
  kind: 'connection',
  id,
  // read when the message is written, as Node keeps it until the process has the connection before
  get more() {
    return offered.size > 2;
  },
});

const createDistributor = () => {
  /** Connections that each process was offered and has not taken, in the order of the next turn. */
  const offers = new Map<ChildProcess, Map<number, Socket>>();
  /** Connections that came while there was no process. */
  const waiting: Socket[] = [];
  let id = 0;

  const offer = (socket: Socket): void => {
    const [entry] = offers;
    if (entry === undefined) {
      waiting.push(socket);
      return;
    }
    const [child, offered] = entry;
    offers.delete(child);
    offers.set(child, offered);
    id += 1;
    offered.set(id, socket);
    const message = createMessage(id, offered);
    // what cannot be sent is offered to another process when this one ends
    child.send(message, socket, { keepOpen: true }, () => {});
  };

  const remove = (child: ChildProcess): void => {
    const offered = offers.get(child);
    offers.delete(child);
    for (const socket of offered?.values() ?? []) offer(socket);
  };

  return {
    offer: (socket: Socket): void => offer(socket.on('error', () => socket.destroy())),
    add(child: ChildProcess): void {
      offers.set(child, new Map());
      child.once('exit', () => remove(child));
      for (const socket of waiting.splice(0)) offer(socket);
    },
    take(child: ChildProcess, taken: number): void {
      const offered = offers.get(child);
      offered?.get(taken)?.destroy();
      offered?.delete(taken);
    },
    remove,
  };
};

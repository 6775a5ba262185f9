/** A TCP proxy in front of a server, which can be cut off and come back at the same address. */
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { once } from 'node:events';

export interface SwitchProxy {
  readonly port: number;
  /** Ends every connection and refuses new ones, as if the server had been killed. */
  cut(): void;
  /** Passes nothing on any more, and leaves connections open, as if the network had lost the server. */
  silence(): void;
  /** Lets connections through again; those that were silenced end. */
  restore(): Promise<void>;
  close(): Promise<void>;
}

/** @param target port of the server on 127.0.0.1 */
export const startSwitchProxy = async (target: number): Promise<SwitchProxy> => {
  const sockets = new Set<Socket>();
  let isSilent = false;
  const endAll = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  const server = createServer((client) => {
    const upstream = connect(target, '127.0.0.1');
    const end = (): void => {
      client.destroy();
      upstream.destroy();
    };
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', end).on('end', end);
      socket.on('close', () => sockets.delete(socket));
    }
    client.on('data', (bytes) => !isSilent && upstream.write(bytes));
    upstream.on('data', (bytes) => !isSilent && client.write(bytes));
  });
  const listen = async (at: number): Promise<void> => {
    server.listen(at, '127.0.0.1');
    await once(server, 'listening');
  };
  await listen(0);
  const { port } = server.address() as AddressInfo;
  return {
    port,
    cut() {
      server.close();
      endAll();
    },
    silence() {
      isSilent = true;
    },
    async restore() {
      endAll();
      isSilent = false;
      if (!server.listening) await listen(port);
    },
    async close() {
      endAll();
      if (!server.listening) return;
      server.close();
      await once(server, 'close');
    },
  };
};

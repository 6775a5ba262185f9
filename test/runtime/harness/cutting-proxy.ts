/** A TCP proxy in front of a database server that can lose the answer to a statement, or everything. */
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { once } from 'node:events';

export interface CuttingProxy {
  /** The URL that was given, through the proxy. */
  readonly url: string;
  /**
   * Loses the answer to the next message that contains `text`, of a connection that has sent `value` by then: the server gets
   * the message and its answer arrives here, then both connections end. Without `value`, of any connection.
   */
  cutAfter(text: string, value?: string): void;
  /** Takes everything and passes nothing on, as a machine does that is gone from the network, or no longer. */
  silence(isSilent: boolean): void;
  /** Ends every connection and accepts no more. */
  close(): Promise<void>;
}

export const startCuttingProxy = async (target: string): Promise<CuttingProxy> => {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  let marker: { readonly text: string; readonly value: string } | null = null;
  let silent = false;
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    let isCutting = false;
    /** The marker whose value this connection has sent. */
    let marked: typeof marker = null;
    const end = (): void => {
      client.destroy();
      upstream.destroy();
    };
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', end).on('close', () => sockets.delete(socket));
    }
    client.on('end', end).on('data', (bytes) => {
      if (marker !== null && bytes.includes(marker.value)) marked = marker;
      if (marker !== null && marked === marker && bytes.includes(marker.text)) {
        marker = null;
        isCutting = true;
      }
      if (!silent) upstream.write(bytes);
    });
    upstream.on('end', end).on('data', (bytes) => {
      if (isCutting) end();
      else if (!silent) client.write(bytes);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(target);
  url.hostname = '127.0.0.1';
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    cutAfter: (text, value = '') => {
      marker = { text, value };
    },
    silence: (isSilent) => void (silent = isSilent),
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
};

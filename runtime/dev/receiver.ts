/** A receiver of webhooks that prints what is delivered to it. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface DevReceiver {
  readonly url: string;
  close(): Promise<void>;
}

const host = '127.0.0.1';
/** Characters of a body that are printed. */
const maxBody = 2_000;

/** Accepts everything, on a free port unless one is given. */
export const startReceiver = async (print: (line: string) => void, port = 0): Promise<DevReceiver> => {
  const server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (part: string) => (text += part));
    request.on('end', () => {
      print(
        `webhook ${request.url}  ${String(request.headers['webhook-id'] ?? 'not signed')}\n${indent(text)}`,
      );
      response.writeHead(200).end();
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, host, resolve);
  });
  return {
    url: `http://${host}:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};

const indent = (text: string): string => {
  const lines = toLines(text);
  const shown = lines.length <= maxBody ? lines : `${lines.slice(0, maxBody)}…`;
  return shown.replaceAll(/^/gm, '  ');
};

const toLines = (text: string): string => {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
};

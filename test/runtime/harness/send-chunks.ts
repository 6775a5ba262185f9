/** Requests whose bodies go out piece by piece. */
import { request, type Agent } from 'node:http';
import { adminToken } from '../server-harness.js';

interface Heard {
  readonly status: number | undefined;
  readonly text: string;
  /** Local port of the connection. */
  readonly port: number | undefined;
}

/** A body in pieces whose sum is not told beforehand, unless by the headers. */
export const sendChunks = (
  url: string,
  chunks: readonly string[],
  { agent, headers }: { readonly agent?: Agent; readonly headers?: object } = {},
) =>
  new Promise<Heard>((resolve, reject) => {
    const sending = request(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${adminToken}`, ...headers },
      ...(agent !== undefined && { agent }),
    });
    sending.once('response', (response) => {
      const parts: Buffer[] = [];
      const port = response.socket.localPort;
      response.on('data', (part: Buffer) => parts.push(part));
      response.once('end', () =>
        resolve({ status: response.statusCode, text: Buffer.concat(parts).toString(), port }),
      );
    });
    sending.once('error', reject);
    for (const chunk of chunks) sending.write(chunk);
    sending.end();
  });

/** Requests whose body begins, and goes on when something else has been done. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { request, type IncomingMessage } from 'node:http';
import { until } from '../../until.js';

interface Late {
  readonly method: string;
  readonly authorization: string;
  readonly body: unknown;
}

const startOfRequest = 'http.server.request.start';

/**
 * Sends a request to a server of this process. Does something else as soon as the server, having done whatever it does
 * before, waits for the body.
 * @returns the status of the answer
 */
export const sendLate = async (
  url: string,
  { method, authorization, body }: Late,
  meanwhile: () => Promise<unknown>,
): Promise<number | undefined> => {
  const text = JSON.stringify(body);
  const received: IncomingMessage[] = [];
  const receive = (message: unknown): void => {
    received.push((message as { readonly request: IncomingMessage }).request);
  };
  subscribe(startOfRequest, receive);
  const sending = request(url, {
    method,
    headers: {
      authorization,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(text),
    },
  });
  const answered = new Promise<number | undefined>((resolve, reject) => {
    sending.once('response', (response) => response.resume().once('end', () => resolve(response.statusCode)));
    sending.once('error', reject);
  });
  sending.write(text.slice(0, 1));
  await until(() => received.some(isRead), { what: 'the server reads the body' });
  unsubscribe(startOfRequest, receive);
  await meanwhile();
  sending.end(text.slice(1));
  return answered;
};

const isRead = (message: IncomingMessage): boolean =>
  message.listenerCount('data') + message.listenerCount('readable') > 0;

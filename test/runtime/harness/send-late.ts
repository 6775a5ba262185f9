/** Requests whose body begins, and goes on when something else has been done. */
import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

interface Late {
  readonly method: string;
  readonly authorization: string;
  readonly body: unknown;
}

/** Long enough for a server to have done whatever it does before the body. */
const pause = 300;

/** @returns the status of the answer */
export const sendLate = async (
  url: string,
  { method, authorization, body }: Late,
  meanwhile: () => Promise<unknown>,
): Promise<number | undefined> => {
  const text = JSON.stringify(body);
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
  await sleep(pause);
  await meanwhile();
  sending.end(text.slice(1));
  return answered;
};

/** An open load: requests are sent at a rate, whether or not earlier ones were answered. */
import { Agent, get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Target } from './load.js';

export interface OpenLoadOptions {
  readonly target: Target;
  readonly draw: () => string;
  /** Requests a second. */
  readonly rate: number;
  readonly seconds: number;
}

export interface OpenAnswer {
  /** Seconds from the start of the load until the request was sent. */
  readonly sent: number;
  readonly milliseconds: number;
  /** 0 where the connection was lost. */
  readonly status: number;
  /** True where the answer says when to come again. */
  readonly hasRetryAfter: boolean;
}

/** Milliseconds between two moments at which the requests that are due are sent. */
const tick = 10;

/** Resolves once every request is answered. @param onAnswer called for each answer */
export const runOpenLoad = async (
  { target, draw, rate, seconds }: OpenLoadOptions,
  onAnswer: (answer: OpenAnswer) => void,
): Promise<void> => {
  const agent = new Agent({ keepAlive: true, maxSockets: Infinity });
  const began = performance.now();
  const answered: Promise<void>[] = [];
  const elapsed = (): number => (performance.now() - began) / 1000;
  while (elapsed() < seconds) {
    while (answered.length < elapsed() * rate) {
      const sent = elapsed();
      answered.push(send(target, draw(), agent).then((answer) => onAnswer({ sent, ...answer })));
    }
    await sleep(tick);
  }
  await Promise.all(answered);
  agent.destroy();
};

const send = ({ origin, headers }: Target, path: string, agent: Agent): Promise<Omit<OpenAnswer, 'sent'>> =>
  new Promise((resolve) => {
    const began = performance.now();
    const finish = (status: number, hasRetryAfter: boolean): void =>
      resolve({ milliseconds: performance.now() - began, status, hasRetryAfter });
    get(origin + path, { headers, agent }, (response) => {
      response.resume().once('end', () => {
        finish(response.statusCode ?? 0, response.headers['retry-after'] !== undefined);
      });
      response.once('error', () => finish(0, false));
    }).once('error', () => finish(0, false));
  });

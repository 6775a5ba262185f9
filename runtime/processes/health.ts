/** The state of a process by its parts, for `/health`. */
import { connect } from 'node:net';

export type Role = 'api' | 'worker';

/** `degraded`: other parts work on, such as reads and submits while Temporal is away. */
export type Status = 'ok' | 'degraded' | 'failed';

export interface Part {
  readonly status: Status;
  readonly reason?: string;
}

export type Parts = Readonly<Record<string, Part>>;

export interface Health {
  readonly status: Status;
  readonly role: Role;
  readonly version: string;
  readonly parts: Parts;
}

/** The whole is as well as its worst part. */
export const toHealth = (health: Omit<Health, 'status'>): Health => {
  const states = new Set(Object.values(health.parts).map(({ status }) => status));
  const status = states.has('failed') ? 'failed' : states.has('degraded') ? 'degraded' : 'ok';
  return { status, ...health };
};

export const ok: Part = { status: 'ok' };

/** Milliseconds. */
const connectTimeout = 1_000;

/** Returns whether something listens at `host:port`, within a second. */
export const isListening = (address: string): Promise<boolean> =>
  new Promise((resolve) => {
    const { hostname, port } = new URL(`tcp://${address}`);
    const socket = connect({ host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) });
    const end = (found: boolean) => (): void => {
      socket.destroy();
      resolve(found);
    };
    socket.setTimeout(connectTimeout, end(false));
    socket.once('connect', end(true)).once('error', end(false));
  });

/** Returns the state of Temporal for a process that cannot do without it as `without` says. */
export const checkTemporal = async (address: string, without: Status): Promise<Part> =>
  (await isListening(address))
    ? ok
    : { status: without, reason: `Temporal at ${address} does not answer; requests wait in the queue` };

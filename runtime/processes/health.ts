/** The state of a process by its parts, for `/health`. */
import { connect } from 'node:http2';
import type { SecureContextOptions } from 'node:tls';

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
const responseTimeout = 2_000;

type Tls = SecureContextOptions & { readonly servername?: string };

/**
 * Returns whether a gRPC server answers at `host:port`, within `responseTimeout`. It is asked for its health; any answer but
 * an error of a proxy counts, as not every server knows this call.
 * @param tls null for a connection without TLS
 */
const isResponding = (address: string, tls: Tls | null): Promise<boolean> =>
  new Promise((resolve) => {
    const session = connect(`${tls === null ? 'http' : 'https'}://${address}`, tls ?? {});
    const end = (responds: boolean): void => {
      clearTimeout(timer);
      session.destroy();
      resolve(responds);
    };
    const fail = (): void => end(false);
    const timer = setTimeout(fail, responseTimeout);
    session.once('error', fail);
    const stream = session.request({
      ':method': 'POST',
      ':path': '/grpc.health.v1.Health/Check',
      'content-type': 'application/grpc',
      te: 'trailers',
    });
    stream.once('error', fail).once('response', ({ ':status': status }) => end(status === 200));
    // a message without fields
    stream.end(Buffer.alloc(5));
  });

/** Reads the options of TLS as Temporal's client does. @returns null where it connects without */
const readTls = async (address: string): Promise<Tls | null> => {
  const { readConnection } = await import('../queue/temporal/connection.js');
  const { tls, apiKey } = readConnection({ address, namespace: null }).options;
  if (tls === undefined || tls === null || typeof tls === 'boolean')
    return (tls ?? apiKey !== undefined) ? {} : null;
  const { serverNameOverride: servername, serverRootCACertificate: ca, clientCertPair: pair } = tls;
  return {
    ...(servername !== undefined && { servername }),
    ...(ca !== undefined && { ca: Buffer.from(ca) }),
    ...(pair !== undefined && { cert: Buffer.from(pair.crt), key: Buffer.from(pair.key) }),
  };
};

/** Returns the state of Temporal for a process that cannot do without it as `without` says. */
export const checkTemporal = async (address: string, without: Status): Promise<Part> => {
  const answers = await readTls(address).then(
    (tls) => isResponding(address, tls),
    () => false,
  );
  if (answers) return ok;
  return { status: without, reason: `Temporal at ${address} does not answer; requests wait in the queue` };
};

/**
 * Connections to receivers. Every address is checked at the moment it is connected to, so that a name that changes
 * its address between check and use gains nothing.
 */
import { lookup as systemLookup } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { Agent, buildConnector } from 'undici';
import { isAllowedAddress, type TargetPolicy } from './target.js';

/** Every address of a name. */
export type Resolve = (name: string) => Promise<readonly { address: string; family: number }[]>;

/** The address of a receiver is not one that may be connected to. */
export class BlockedAddress extends Error {
  readonly code = 'SVC_BLOCKED_ADDRESS';

  constructor() {
    super('the address of the receiver is not a public one');
    this.name = 'BlockedAddress';
  }
}

const resolveBySystem: Resolve = (name) => systemLookup(name, { all: true });

export interface ReceiverAgentOptions {
  readonly policy: TargetPolicy;
  readonly resolve?: Resolve;
}

/** Milliseconds that a connection is kept for the next delivery. */
const keepAlive = 1_000;
/** Milliseconds: each attempt has a limit of its own, which may be shorter. */
const connectTimeout = 120_000;

/** For deliveries of one account to one receiver. */
export const createReceiverAgent = ({ policy, resolve }: ReceiverAgentOptions): Agent => {
  const lookup = guardedLookup(policy, resolve ?? resolveBySystem);
  const connect = buildConnector({ timeout: connectTimeout, lookup, maxCachedSessions: 0 });
  return new Agent({
    keepAliveTimeout: keepAlive,
    keepAliveMaxTimeout: keepAlive,
    maxHeaderSize: 16 * 1024,
    connect(options, callback) {
      const host = options.hostname.replace(/^\[(.*)\]$/, '$1');
      // names of addresses are never looked up, so lookup does not see them
      if (isIP(host) !== 0 && !isAllowedAddress(host, policy)) return callback(new BlockedAddress(), null);
      connect(options, (error, socket) => {
        if (error !== null) return callback(error, null);
        if (isAllowedAddress(socket.remoteAddress ?? '', policy)) return callback(null, socket);
        socket.destroy();
        callback(new BlockedAddress(), null);
      });
    },
  });
};

/** One address that is not allowed refuses the name: which one is connected to would be chance. */
const guardedLookup =
  (policy: TargetPolicy, resolve: Resolve): LookupFunction =>
  (name, options, callback) => {
    resolve(name).then(
      (found) => {
        const [first] = found;
        if (first === undefined || !found.every(({ address }) => isAllowedAddress(address, policy))) {
          return callback(new BlockedAddress(), '', 0);
        }
        if (options.all === true) callback(null, [...found]);
        else callback(null, first.address, first.family);
      },
      (error: NodeJS.ErrnoException) => callback(error, '', 0),
    );
  };

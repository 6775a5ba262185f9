/** Connects to receivers. Addresses are checked when connecting, which prevents DNS rebinding. */
import { lookup as systemLookup } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { Agent, buildConnector } from 'undici';
import { hostOf } from '../../network/ip.js';
import { isAllowedAddress, type TargetPolicy } from './target.js';

/** Resolves a host name to all of its addresses. */
export type Resolve = (name: string) => Promise<readonly { address: string; family: number }[]>;

/** The error of a receiver with an address that the policy does not allow. */
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

/** Milliseconds that an idle connection is kept for the next delivery. */
const keepAlive = 1_000;
/** Upper limit in milliseconds; each attempt has its own timeout. */
const connectTimeout = 120_000;

/** Creates the agent for deliveries of one account to one receiver. */
export const createReceiverAgent = ({ policy, resolve }: ReceiverAgentOptions): Agent => {
  const lookup = guardedLookup(policy, resolve ?? resolveBySystem);
  const connect = buildConnector({ timeout: connectTimeout, lookup, maxCachedSessions: 0 });
  return new Agent({
    keepAliveTimeout: keepAlive,
    keepAliveMaxTimeout: keepAlive,
    maxHeaderSize: 16 * 1024,
    connect(options, callback) {
      const host = hostOf(options);
      // IP addresses are not passed to lookup
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

/** Rejects a name if any of its addresses is not allowed, because the client may connect to any of them. */
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

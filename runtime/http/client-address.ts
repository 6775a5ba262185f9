/** Determines the client address of a connection behind trusted proxies. */
import type { IncomingHttpHeaders } from 'node:http';
import { isWithin, normalizeAddress, parseNetwork, type Network } from '../network/ip.js';

/**
 * The proxies in front of the server, by number or by address. Without any, `X-Forwarded-…` headers are
 * ignored.
 */
export interface TrustedProxies {
  readonly hops: number;
  /** Addresses and CIDR ranges of trusted proxies. */
  readonly ranges: readonly string[];
}

/** A connection with the headers of its request. */
export interface Connection {
  readonly remoteAddress: string | undefined;
  readonly headers: IncomingHttpHeaders;
}

/** Determines the client of a request behind the trusted proxies. */
export interface Proxies {
  /**
   * Returns the client's address, with IPv4-mapped addresses as IPv4; empty where the connection is closed.
   */
  addressOf(connection: Connection): string;
  /** Returns whether the client uses TLS according to a trusted proxy. */
  isSecure(connection: Connection): boolean;
}

/** Creates the reader of forwarded headers. @throws Error naming a range that is no network */
export const createProxies = ({ hops, ranges }: TrustedProxies): Proxies => {
  const trusted = ranges.map(toNetwork);
  const isTrusted = (address: string, index: number): boolean => index < hops || isWithin(address, trusted);

  return {
    addressOf({ remoteAddress, headers }) {
      let address = normalizeAddress(remoteAddress ?? '') ?? '';
      if (hops === 0 && ranges.length === 0) return address;
      const forwarded = listOf(headers['x-forwarded-for']).toReversed();
      for (const [index, entry] of forwarded.entries()) {
        const next = normalizeAddress(entry);
        if (next === null || !isTrusted(address, index)) break;
        address = next;
      }
      return address;
    },
    isSecure({ remoteAddress, headers }) {
      const address = normalizeAddress(remoteAddress ?? '');
      return (
        address !== null && isTrusted(address, 0) && listOf(headers['x-forwarded-proto']).at(-1) === 'https'
      );
    },
  };
};

/** @throws where a range is neither an address nor a network in CIDR form */
const toNetwork = (range: string): Network => {
  const network = parseNetwork(range);
  if (network === null) throw new Error(`"${range}" is neither an address nor a network such as 10.0.0.0/8`);
  return network;
};

const listOf = (header: string | string[] | undefined): readonly string[] =>
  (Array.isArray(header) ? header.join() : (header ?? '')).split(',').map((entry) => entry.trim());

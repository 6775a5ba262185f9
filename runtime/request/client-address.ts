/** Who is at the other end of a connection, behind proxies that are trusted and behind no others. */
import type { IncomingHttpHeaders } from 'node:http';
import { BlockList, isIPv4, isIPv6 } from 'node:net';

/** How many proxies stand in front, or which; neither: `X-Forwarded-…` counts for nothing. */
export interface TrustedProxies {
  readonly hops: number;
  /** Addresses and CIDR ranges. */
  readonly ranges: readonly string[];
}

export interface Connection {
  readonly remoteAddress: string | undefined;
  readonly headers: IncomingHttpHeaders;
}

export interface Proxies {
  /** The caller's address, IPv4 in its own form; empty where the connection is gone. */
  addressOf(connection: Connection): string;
  /** Whether the caller came over TLS, as a trusted proxy says. */
  isSecure(connection: Connection): boolean;
}

/** @throws where a range is no address and no CIDR range */
export const createProxies = ({ hops, ranges }: TrustedProxies): Proxies => {
  const trusted = toBlockList(ranges);
  const isTrusted = (address: string, index: number): boolean =>
    index < hops || (ranges.length > 0 && trusted.check(address, isIPv6(address) ? 'ipv6' : 'ipv4'));

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

const listOf = (header: string | string[] | undefined): readonly string[] =>
  (Array.isArray(header) ? header.join() : (header ?? '')).split(',').map((entry) => entry.trim());

/** Without zone and port, in the one spelling that URLs know; mapped IPv4 as IPv4. `null`: no address. */
export const normalizeAddress = (text: string): string | null => {
  const bare = text
    .replace(/^\[(.*)\](:\d+)?$/, '$1')
    .replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, '$1')
    .replace(/%.*$/, '');
  // as sockets spell it
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(bare)?.[1] ?? bare;
  if (isIPv4(mapped)) return mapped;
  return isIPv6(bare) ? foldIPv6(bare) : null;
};

const foldIPv6 = (text: string): string => {
  const address = new URL(`http://[${text}]`).hostname.slice(1, -1);
  const groups = /^::ffff:([\da-f]+):([\da-f]+)$/.exec(address)?.slice(1);
  const bytes = groups?.map((group) => Number.parseInt(group, 16)).flatMap((two) => [two >> 8, two & 255]);
  return bytes?.join('.') ?? address;
};

const toBlockList = (ranges: readonly string[]): BlockList => {
  const list = new BlockList();
  for (const range of ranges) {
    const [address = '', bits] = range.split('/');
    const family = isIPv6(address) ? 'ipv6' : 'ipv4';
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return list;
};

/**
 * IPv4 and IPv6 addresses and networks, parsed consistently for callers, proxies, access lists and webhooks.
 * Imports no other module of svc.
 */
import { isIPv4, isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** An address with its prefix length in bits. */
export type Network = readonly [address: Address, bits: number];

/** Parses an address that `node:net` accepts: no octal, hexadecimal or short forms of IPv4. */
const parseAddress = (text: string): Address | null => {
  if (isIPv4(text)) return ipaddr.IPv4.parse(text);
  return isIPv6(text) ? ipaddr.IPv6.parse(withoutDots(text)) : null;
};

/** Rewrites `::1.2.3.4` as `::102:304`, because the library reads the dotted form as IPv4-mapped (`::ffff:…`). */
const withoutDots = (text: string): string =>
  text.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)/, (_, ...[a, b, c, d]: string[]) =>
    [Number(a) * 256 + Number(b), Number(c) * 256 + Number(d)].map((group) => group.toString(16)).join(':'),
  );

const toIPv4 = (address: Address): Address => {
  const isMapped = address.kind() === 'ipv6' && (address as ipaddr.IPv6).isIPv4MappedAddress();
  return isMapped ? (address as ipaddr.IPv6).toIPv4Address() : address;
};

/** Returns the host of a URL without the brackets of an IPv6 address. */
export const hostOf = ({ hostname }: Pick<URL, 'hostname'>): string => hostname.replace(/^\[(.*)\]$/, '$1');

/** Prints IPv6 in canonical form (RFC 5952). */
const printAddress = (address: Address): string =>
  address.kind() === 'ipv6' ? (address as ipaddr.IPv6).toRFC5952String() : address.toString();

/**
 * Returns the canonical form of an address without zone and port, or null where it is invalid. IPv4-mapped
 * IPv6 becomes IPv4.
 */
export const normalizeAddress = (text: string): string | null => {
  const bare = text
    .replace(/^\[(.*)\](:\d+)?$/, '$1')
    .replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, '$1')
    .replace(/%.*$/, '');
  if (isIPv4(bare)) return bare;
  const address = parseAddress(bare);
  return address === null ? null : printAddress(toIPv4(address));
};

/**
 * Parses an address or a CIDR network, or returns null where it is neither. IPv4-mapped IPv6 becomes IPv4.
 */
export const parseNetwork = (text: string): Network | null => {
  const [prefix = '', mask, ...rest] = text.trim().split('/');
  const parsed = prefix.includes('%') ? null : parseAddress(prefix);
  if (parsed === null || rest.length > 0) return null;
  const address = toIPv4(parsed);
  const maxBits = address.kind() === 'ipv6' ? 128 : 32;
  if (mask === undefined) return [address, maxBits];
  const isMapped = parsed.kind() !== address.kind();
  const bits = /^\d{1,3}$/.test(mask) ? Number(mask) - (isMapped ? 96 : 0) : -1;
  return bits < 0 || bits > maxBits ? null : [address, bits];
};

/** Returns the networks of a list without its invalid entries. */
export const parseNetworks = (texts: readonly string[]): readonly Network[] =>
  texts.map(parseNetwork).filter((network) => network !== null);

/** Returns true if an address is in one of the networks. IPv4-mapped IPv6 matches only IPv6 networks. */
export const isWithin = (text: string, networks: readonly Network[]): boolean => {
  const address = parseAddress(text);
  return address !== null && networks.some((network) => contains(network, address));
};

const contains = ([network, bits]: Network, address: Address): boolean =>
  address.kind() === network.kind() && address.match(network, bits);

const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3');

/** Returns whether an address is globally routable unicast; of IPv6, 2000::/3 alone (RFC 4291 §2.4). */
export const isPublic = (text: string): boolean => {
  const address = parseAddress(text);
  if (address?.range() !== 'unicast') return false;
  return address.kind() === 'ipv4' || contains(globalUnicast, address);
};

/**
 * Returns the key for rate limits: an IPv4 address, or the /64 of an IPv6 address, which belongs to one
 * customer.
 */
export const networkOf = (address: string): string => {
  if (!isIPv6(address)) return address;
  const groups = ipaddr.IPv6.parse(withoutDots(address)).parts.slice(0, 4);
  return `${groups.map((group) => group.toString(16)).join(':')}::/64`;
};

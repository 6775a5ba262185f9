/** Lists of addresses and networks that callers may come from: `ip_access` of users and policies. */
import { BlockList, isIPv6 } from 'node:net';
import { apiError } from '../../contract/errors.js';
import { normalizeAddress } from '../request/client-address.js';

/** `null`: any address. */
export type AddressList = { has(address: string): boolean } | null;

interface Network {
  readonly address: string;
  readonly family: 'ipv4' | 'ipv6';
  readonly bits: number;
}

/** IPv4 in its IPv6 form is IPv4. `null`: neither an address nor a network in CIDR form. */
export const readNetwork = (text: string): Network | null => {
  const [written = '', mask, ...rest] = text.trim().split('/');
  const address = /[[\]%]|^\d+\.\d+\.\d+\.\d+:/.test(written) ? null : normalizeAddress(written);
  if (address === null || rest.length > 0) return null;
  const isMapped = isIPv6(written) && !isIPv6(address);
  const family = isIPv6(address) ? 'ipv6' : 'ipv4';
  const most = family === 'ipv6' ? 128 : 32;
  if (mask === undefined) return { address, family, bits: most };
  const bits = /^\d{1,3}$/.test(mask) ? Number(mask) - (isMapped ? 96 : 0) : -1;
  return bits < 0 || bits > most ? null : { address, family, bits };
};

/** What callers are counted by: IPv4 by itself, IPv6 by its first 64 bits, since who has one server has all the rest. */
export const networkOf = (address: string): string => {
  if (!address.includes(':')) return address;
  const [first = [], last = []] = address.split('::').map((part) => (part === '' ? [] : part.split(':')));
  const zeros = Array<string>(8 - first.length - last.length).fill('0');
  return `${[...first, ...zeros, ...last].slice(0, 4).join(':')}::/64`;
};

/** Without blanks around them, and those that are nothing else. */
export const readEntries = (entries: readonly string[]): readonly string[] =>
  entries.map((entry) => entry.trim()).filter((entry) => entry !== '');

/** An entry that is no network lets nobody in; a list of none of them lets everybody in. */
export const createAddressList = (entries: readonly string[]): AddressList => {
  const written = readEntries(entries);
  if (written.length === 0) return null;
  const lists = { ipv4: new BlockList(), ipv6: new BlockList() };
  for (const network of written.map(readNetwork)) {
    if (network !== null) lists[network.family].addSubnet(network.address, network.bits, network.family);
  }
  return {
    has(address) {
      const family = isIPv6(address) ? 'ipv6' : 'ipv4';
      return address !== '' && lists[family].check(address, family);
    },
  };
};

/** As the column holds it: comma-separated. */
export const readAddressList = (column: unknown): AddressList =>
  createAddressList(typeof column === 'string' ? column.split(',') : []);

/** @throws INVALID_IP */
export const requireAddress = (list: AddressList, address: string): void => {
  if (list !== null && !list.has(address)) throw apiError('INVALID_IP', {});
};

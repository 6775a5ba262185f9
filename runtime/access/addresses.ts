/** Lists of addresses and networks that callers may come from: `ip_access` of users and policies. */
import { apiError } from '../../contract/errors.js';
import { isWithin, parseNetworks } from '../network/ip.js';

/** `null`: any address. */
export type AddressList = { has(address: string): boolean } | null;

/** Without blanks around them, and those that are nothing else. */
export const readEntries = (entries: readonly string[]): readonly string[] =>
  entries.map((entry) => entry.trim()).filter((entry) => entry !== '');

/** An entry that is no network lets nobody in; a list of none of them lets everybody in. */
export const createAddressList = (entries: readonly string[]): AddressList => {
  const written = readEntries(entries);
  if (written.length === 0) return null;
  const networks = parseNetworks(written);
  return { has: (address) => isWithin(address, networks) };
};

/** As the column holds it: comma-separated. */
export const readAddressList = (column: unknown): AddressList =>
  createAddressList(typeof column === 'string' ? column.split(',') : []);

/** @throws INVALID_IP */
export const requireAddress = (list: AddressList, address: string): void => {
  if (list !== null && !list.has(address)) throw apiError('INVALID_IP', {});
};

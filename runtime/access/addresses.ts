/** Parses and checks the allowed client addresses and networks in `ip_access` of users and policies. */
import { apiError } from '../../contract/errors.js';
import { isWithin, parseNetworks } from '../network/ip.js';

/** Allowed client addresses; `null` allows any address. */
export type AddressList = { has(address: string): boolean } | null;

/** Trims entries and drops blank ones. */
export const trimEntries = (entries: readonly string[]): readonly string[] =>
  entries.map((entry) => entry.trim()).filter((entry) => entry !== '');

/** Creates a list; an invalid entry matches no address, and an empty list allows any address. */
export const createAddressList = (entries: readonly string[]): AddressList => {
  const trimmed = trimEntries(entries);
  if (trimmed.length === 0) return null;
  const networks = parseNetworks(trimmed);
  return { has: (address) => isWithin(address, networks) };
};

/** Parses the value of a column: comma-separated entries. */
export const readAddressList = (column: unknown): AddressList =>
  createAddressList(typeof column === 'string' ? column.split(',') : []);

/** Rejects an address that a list does not include. @throws INVALID_IP */
export const requireAddress = (list: AddressList, address: string): void => {
  if (list !== null && !list.has(address)) throw apiError('INVALID_IP', {});
};

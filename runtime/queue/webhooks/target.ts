/** Checks the targets of webhooks: URLs at submission, addresses at each connection; only public ones are allowed. */
import { isIP } from 'node:net';
import { hostOf, isPublic, isWithin, parseNetworks } from '../../network/ip.js';

export interface TargetPolicy {
  /** Networks that are allowed although they are not public, such as `127.0.0.0/8`. */
  readonly allowed: readonly string[];
  /** True where `http:` is allowed as well as `https:`. */
  readonly http: boolean;
}

const maxLength = 2048;

/** Names reserved for private networks; some resolve to the metadata services of clouds. */
const privateName =
  /(^|\.)(localhost|local|internal|intranet|lan|home|corp|private|localdomain|home\.arpa)\.?$/;

/** Returns why a URL is not allowed, or null if it is; host names are resolved only when connecting. */
export const findTargetError = (text: string, policy: TargetPolicy): string | null => {
  if (text.length > maxLength) return `the URL is longer than ${maxLength} characters`;
  if (!URL.canParse(text)) return 'this is not a URL';
  const url = new URL(text);
  const schemes = policy.http ? ['https:', 'http:'] : ['https:'];
  if (!schemes.includes(url.protocol)) return `the URL has to begin with ${schemes.join('// or ')}//`;
  if (url.username !== '' || url.password !== '') return 'the URL must not hold a user name or password';
  if (url.hash !== '') return 'the URL must not have a fragment';
  if (!isAllowedPort(url.port)) return `port ${url.port} is not allowed; use 80, 443 or one from 1024 on`;
  return findHostError(hostOf(url), policy);
};

const isAllowedPort = (port: string): boolean =>
  port === '' || port === '80' || port === '443' || Number(port) >= 1024;

const findHostError = (host: string, policy: TargetPolicy): string | null => {
  if (isIP(host) !== 0) return isAllowedAddress(host, policy) ? null : 'the address is not a public one';
  if (policy.allowed.length > 0) return null;
  if (!host.replace(/\.$/, '').includes('.')) return 'the host is not a public name';
  return privateName.test(host) ? 'the host is not a public name' : null;
};

/** Returns whether an address is public or in an allowed network. */
export const isAllowedAddress = (address: string, { allowed }: TargetPolicy): boolean =>
  isPublic(address) || isWithin(address, parseNetworks(allowed));

/** Which addresses webhooks may go to: public ones, checked as URL at submission and as address at each connection. */
import { isIP } from 'node:net';
import { isPublic, isWithin, parseNetworks } from '../../network/ip.js';

export interface TargetPolicy {
  /** Networks that are allowed although they are not public: `127.0.0.0/8`. */
  readonly allowed: readonly string[];
  /** Whether `http:` is allowed beside `https:`. */
  readonly http: boolean;
}

const longest = 2048;

/** Names that never lead to a public receiver; clouds answer some of them with secrets. */
const innerName =
  /(^|\.)(localhost|local|internal|intranet|lan|home|corp|private|localdomain|home\.arpa)\.?$/;

/** Why a URL is refused, in words for the caller; `null`: it is not. Names are looked up only when connecting. */
export const refusalOf = (text: string, policy: TargetPolicy): string | null => {
  if (text.length > longest) return `the URL is longer than ${longest} characters`;
  if (!URL.canParse(text)) return 'this is not a URL';
  const url = new URL(text);
  const schemes = policy.http ? ['https:', 'http:'] : ['https:'];
  if (!schemes.includes(url.protocol)) return `the URL has to begin with ${schemes.join('// or ')}//`;
  if (url.username !== '' || url.password !== '') return 'the URL must not hold a user name or password';
  if (url.hash !== '') return 'the URL must not have a fragment';
  if (!isUsualPort(url.port)) return `port ${url.port} is not allowed; use 80, 443 or one from 1024 on`;
  return hostRefusal(hostOf(url), policy);
};

const isUsualPort = (port: string): boolean =>
  port === '' || port === '80' || port === '443' || Number(port) >= 1024;

/** Without the brackets of IPv6. */
export const hostOf = ({ hostname }: Pick<URL, 'hostname'>): string => hostname.replace(/^\[(.*)\]$/, '$1');

const hostRefusal = (host: string, policy: TargetPolicy): string | null => {
  if (isIP(host) !== 0) return isAllowedAddress(host, policy) ? null : 'the address is not a public one';
  if (policy.allowed.length > 0) return null;
  if (!host.replace(/\.$/, '').includes('.')) return 'the host is not a public name';
  return innerName.test(host) ? 'the host is not a public name' : null;
};

/** Whether a connection to the address is allowed: it is public, or in a network that is named. */
export const isAllowedAddress = (address: string, { allowed }: TargetPolicy): boolean =>
  isPublic(address) || isWithin(address, parseNetworks(allowed));

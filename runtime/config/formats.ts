/** Parsers for URLs, addresses, secrets and roles in the environment. */
import { readFileSync } from 'node:fs';
import { isUuid } from '../../contract/uuid.js';
import { hostOf } from '../network/ip.js';
import { parseList, parseInteger, type Parse } from './values.js';

/** Parses the URL of a database: `sqlite:PATH`, `mysql://…` or `postgres://…`. */
export const parseDatabaseUrl: Parse<string> = (value) => {
  if (/^sqlite:./.test(value)) return value;
  const expected = 'expected sqlite:PATH, mysql://… or postgres://user:password@host:port/database';
  if (!URL.canParse(value)) throw new Error(`is not a URL; ${expected}`);
  const url = new URL(value);
  if (!/^(?:mysql|postgres|postgresql):$/.test(url.protocol))
    throw new Error(`starts with "${url.protocol}"; ${expected}`);
  if (url.pathname.length < 2) throw new Error(`does not name a database; ${expected}`);
  for (const part of [url.username, url.password, url.hostname, url.pathname]) checkEscapes(part);
  checkParameters(url);
  return value;
};

const checkEscapes = (text: string): void => {
  try {
    decodeURIComponent(text);
  } catch {
    throw new Error('has a "%" without two hexadecimal digits of UTF-8 after it; write it as %25');
  }
};

/** Parameters of the URL of a database with their values; null for any text. */
const urlParameters: Readonly<Record<string, Readonly<Record<string, readonly string[] | null>>>> = {
  'mysql:': { ssl: ['true', 'false', 'no-verify'], socket: null },
  'postgres:': { sslmode: ['disable', 'require', 'verify-ca', 'verify-full'], host: null },
};

/**
 * Neither name nor value is repeated: they may be the rest of a password that is not escaped.
 * @throws Error for a parameter that would be ignored, such as a misspelled one that asks for encryption
 */
const checkParameters = ({ protocol, searchParams }: URL): void => {
  const known = urlParameters[protocol] ?? urlParameters['postgres:'] ?? {};
  for (const [name, value] of searchParams) {
    const values = known[name];
    if (values === undefined)
      throw new Error(`has a parameter that is not known; expected ${Object.keys(known).join(' or ')}`);
    if (values?.includes(value) === false)
      throw new Error(`has an unknown value of "${name}"; expected one of ${values.join(', ')}`);
  }
};

/** Parses PEM text, or reads it from a path. */
export const parseCertificate: Parse<string> = (value) => {
  const text = value.startsWith('-----BEGIN') ? value : readText(value);
  if (text !== null && /-----BEGIN [A-Z0-9 ]*CERTIFICATE-----/.test(text)) return text;
  throw new Error('expected certificates as PEM text, or the path of a readable PEM file with them');
};

const readText = (path: string): string | null => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
};

/** Parses an HTTP URL without query and fragment; drops slashes at its end. */
export const parsePublicUrl: Parse<string> = (value) => {
  const url = URL.canParse(value) ? new URL(value) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || url.search !== '' || url.hash !== '') {
    throw new Error('expected http://host[:port][/prefix] or https://…');
  }
  return value.replace(/\/+$/, '');
};

/** Parses `host:port`. @throws Error that says what was expected */
export const parseAddress: Parse<string> = (value) => {
  if (!/^[^\s/]+:\d{1,5}$/.test(value)) throw new Error('expected host:port');
  return value;
};

/** Parses a port, or `off`. */
export const parseAdminPort: Parse<number | null> = (value) =>
  value === 'off' ? null : parseInteger(0, 65_535)(value);

/**
 * Parses an e-mail address, of which only the form `a@b` is checked.
 * @throws Error that says what was expected
 */
export const parseEmail: Parse<string> = (value) => {
  if (!/^[^\s@]+@[^\s@]+$/.test(value)) throw new Error('expected an e-mail address');
  return value;
};

/** Parses a bearer token (RFC 6750 §2.1). */
export const parseToken: Parse<string> = (value) => {
  if (!/^[\w.~+/-]{8,255}=*$/.test(value)) {
    throw new Error('expected 8 to 255 letters, digits or -._~+/');
  }
  return value;
};

/** Bytes below which a secret could be guessed. */
export const minSecretBytes = 32;

/** Parses a list of secrets of at least `minSecretBytes` each. */
export const parseSecret: Parse<readonly string[]> = (value) => {
  const secrets = parseList(value);
  if (secrets.length === 0 || secrets.some((secret) => Buffer.byteLength(secret) < minSecretBytes)) {
    throw new Error(
      `expected at least ${minSecretBytes} bytes; generate them with "openssl rand -base64 48"`,
    );
  }
  return secrets;
};

/** Returns whether a host (an address or a name, without brackets) is this machine. */
export const isLocalHost = (host: string): boolean => /^(localhost|127\.[\d.]+|::1)$/.test(host);

/** Returns whether a URL is local: codes and tokens may be sent unencrypted only on this machine. */
export const isLocal = (url: URL): boolean => isLocalHost(hostOf(url));

/** Parses an `https:` URL, or an `http:` URL of this machine. */
export const parseEndpoint: Parse<string> = (value) => {
  const url = URL.canParse(value) ? new URL(value) : null;
  if (url?.protocol === 'https:' || (url?.protocol === 'http:' && isLocal(url))) return value;
  throw new Error('expected https://…; http:// is allowed for localhost only');
};

/** Parses the UUID of a role, which may not exist. @throws Error that says what was expected */
export const parseRole: Parse<string> = (value) => {
  if (!isUuid(value)) throw new Error('expected the UUID of a role');
  return value;
};

/**
 * Parses groups of an identity provider with their roles, in the order of the JSON.
 * @throws Error that says what was expected
 */
export const parseMapping: Parse<readonly (readonly [string, string])[]> = (value) => {
  const expected = 'expected JSON such as {"editors": "<UUID of a role>"}';
  let mapping: unknown;
  try {
    mapping = JSON.parse(value);
  } catch {
    throw new Error(expected);
  }
  if (typeof mapping !== 'object' || mapping === null || Array.isArray(mapping)) throw new Error(expected);
  const entries = Object.entries(mapping);
  if (!entries.every(([, role]) => isUuid(role))) throw new Error(expected);
  return entries as [string, string][];
};

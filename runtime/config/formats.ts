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
  return value;
};

/** Parses PEM text, or reads it from a path. */
export const parseCertificate: Parse<string> = (value) => {
  if (value.startsWith('-----BEGIN')) return value;
  try {
    return readFileSync(value, 'utf8');
  } catch {
    throw new Error('expected PEM text or the path of a readable PEM file');
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

/** Parses a list of secrets of at least 32 bytes each. */
export const parseSecret: Parse<readonly string[]> = (value) => {
  const secrets = parseList(value);
  if (secrets.length === 0 || secrets.some((secret) => Buffer.byteLength(secret) < 32)) {
    throw new Error('expected at least 32 bytes; generate them with "openssl rand -base64 48"');
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

/** Single sign-on providers in the environment: `AUTH_PROVIDERS` names them, `AUTH_<NAME>_…` sets each up. */
import { parseBoolean, parseOneOf, parseText, parseUrls, type Parse, type Variable } from './values.js';

interface CommonConfig {
  readonly name: string;
  readonly clientId: string;
  /** `null`: a public client. */
  readonly clientSecret: string | null;
  readonly scope: string;
  /** Claim that says who somebody is, and stays. */
  readonly identifierKey: string;
  readonly emailKey: string;
  /** Whether whoever has no user record gets one. */
  readonly allowRegistration: boolean;
  /** Role of those; `null`: none. */
  readonly defaultRole: string | null;
  /** Claim that lists groups, and the role that each stands for, the first that fits; whole numbers lead. */
  readonly groupsKey: string;
  readonly roleMapping: readonly (readonly [group: string, role: string])[];
  readonly mode: 'json' | 'cookie' | 'session';
  /** Pages that a login may lead to, beside those of this server. */
  readonly redirects: readonly string[];
  readonly icon: string | null;
  readonly label: string | null;
}

/** OpenID Connect: the issuer says where everything is. */
export interface OpenIdConfig extends CommonConfig {
  readonly driver: 'openid';
  readonly issuerUrl: string;
}

export interface OAuth2Config extends CommonConfig {
  readonly driver: 'oauth2';
  readonly authorizeUrl: string;
  readonly accessUrl: string;
  readonly profileUrl: string;
}

export type ProviderConfig = OpenIdConfig | OAuth2Config;

/** Of every provider. */
export const providerVariables = [
  { name: 'AUTH_<NAME>_DRIVER', default: '—', meaning: '`openid` (OpenID Connect) or `oauth2`' },
  { name: 'AUTH_<NAME>_CLIENT_ID', default: '—', meaning: 'what the provider calls this server' },
  {
    name: 'AUTH_<NAME>_CLIENT_SECRET',
    default: 'none',
    meaning: 'and the secret it gave',
    secret: true,
  },
  {
    name: 'AUTH_<NAME>_ISSUER_URL',
    default: '—',
    meaning: '`openid`: the issuer, or its discovery document',
  },
  { name: 'AUTH_<NAME>_AUTHORIZE_URL', default: '—', meaning: '`oauth2`: where people log in' },
  { name: 'AUTH_<NAME>_ACCESS_URL', default: '—', meaning: '`oauth2`: where a code becomes a token' },
  { name: 'AUTH_<NAME>_PROFILE_URL', default: '—', meaning: '`oauth2`: what says who the token belongs to' },
  { name: 'AUTH_<NAME>_SCOPE', default: 'openid profile email', meaning: '`oauth2`: `email` by default' },
  {
    name: 'AUTH_<NAME>_IDENTIFIER_KEY',
    default: 'sub',
    meaning: 'claim that is `external_identifier`; `oauth2`: `id` by default',
  },
  {
    name: 'AUTH_<NAME>_EMAIL_KEY',
    default: 'email',
    meaning: 'claim that is the e-mail address of new users',
  },
  {
    name: 'AUTH_<NAME>_ALLOW_PUBLIC_REGISTRATION',
    default: 'false',
    meaning: 'whoever logs in there and has no user yet gets one',
  },
  {
    name: 'AUTH_<NAME>_DEFAULT_ROLE_ID',
    default: 'none',
    meaning: 'role of new users, and of whom no group fits',
  },
  { name: 'AUTH_<NAME>_GROUP_CLAIM_NAME', default: 'groups', meaning: 'claim that lists groups' },
  {
    name: 'AUTH_<NAME>_ROLE_MAPPING',
    default: 'none',
    meaning: '`{"group": "id of a role"}`: set with every login, the first that fits, whole numbers first',
  },
  {
    name: 'AUTH_<NAME>_MODE',
    default: 'session',
    meaning: 'what a login gives: `session`, `cookie` or `json`',
  },
  {
    name: 'AUTH_<NAME>_REDIRECT_ALLOW_LIST',
    default: 'none',
    meaning: 'comma-separated URLs that `redirect` may be, compared by origin and path',
  },
  { name: 'AUTH_<NAME>_ICON', default: 'none', meaning: 'shown by `GET /auth`' },
  { name: 'AUTH_<NAME>_LABEL', default: 'none', meaning: 'shown by `GET /auth`' },
] as const satisfies readonly Variable[];

export interface ProviderSource {
  read<Value>(name: string, parse: Parse<Value>, fallback: Value): Value;
  /** Collects what is wrong. */
  readonly faults: string[];
}

export const readProviders = (
  names: readonly string[],
  source: ProviderSource,
): readonly ProviderConfig[] => {
  const prefixes = new Set<string>();
  return names.flatMap((name) => {
    const prefix = prefixOf(name);
    if (!/^\w[\w-]{0,63}$/.test(name) || name === 'default' || prefixes.has(prefix)) {
      source.faults.push(
        `AUTH_PROVIDERS has "${name}"; expected different names of letters, digits, - and _`,
      );
      return [];
    }
    prefixes.add(prefix);
    return [readProvider(name, source)];
  });
};

const prefixOf = (name: string): string => `AUTH_${name.toUpperCase().replaceAll('-', '_')}_`;

const readProvider = (name: string, { read, faults }: ProviderSource): ProviderConfig => {
  const prefix = prefixOf(name);
  const optional = <Value>(key: string, parse: Parse<Value>, fallback: Value): Value =>
    read(prefix + key, parse, fallback);
  const required = (key: string, parse: Parse<string>): string => {
    const before = faults.length;
    const value = optional(key, parse, '');
    if (value === '' && faults.length === before) faults.push(`${prefix + key} is missing`);
    return value;
  };
  const driver = optional('DRIVER', parseOneOf(['openid', 'oauth2', '']), '');
  if (driver === '') faults.push(`${prefix}DRIVER is missing; expected openid or oauth2`);
  const isOpenId = driver !== 'oauth2';
  const common = {
    name,
    clientId: required('CLIENT_ID', parseText),
    clientSecret: optional<string | null>('CLIENT_SECRET', parseText, null),
    scope: optional('SCOPE', parseText, isOpenId ? 'openid profile email' : 'email'),
    identifierKey: optional('IDENTIFIER_KEY', parseText, isOpenId ? 'sub' : 'id'),
    emailKey: optional('EMAIL_KEY', parseText, 'email'),
    allowRegistration: optional('ALLOW_PUBLIC_REGISTRATION', parseBoolean, false),
    defaultRole: optional<string | null>('DEFAULT_ROLE_ID', parseRole, null),
    groupsKey: optional('GROUP_CLAIM_NAME', parseText, 'groups'),
    roleMapping: optional('ROLE_MAPPING', parseMapping, []),
    mode: optional('MODE', parseOneOf(['session', 'cookie', 'json']), 'session'),
    redirects: optional('REDIRECT_ALLOW_LIST', parseUrls, []),
    icon: optional<string | null>('ICON', parseText, null),
    label: optional<string | null>('LABEL', parseText, null),
  };
  if (isOpenId) return { ...common, driver: 'openid', issuerUrl: required('ISSUER_URL', parseEndpoint) };
  return {
    ...common,
    driver: 'oauth2',
    authorizeUrl: required('AUTHORIZE_URL', parseEndpoint),
    accessUrl: required('ACCESS_URL', parseEndpoint),
    profileUrl: required('PROFILE_URL', parseEndpoint),
  };
};

/** Whether a host, an address or a name without brackets, is this machine. */
export const isLocalHost = (host: string): boolean => /^(localhost|127\.[\d.]+|::1)$/.test(host);

/** Codes and tokens travel there: in the clear only on this machine. */
export const isLocal = ({ hostname }: URL): boolean => isLocalHost(hostname.replace(/^\[|\]$/g, ''));

const parseEndpoint: Parse<string> = (value) => {
  const url = URL.canParse(value) ? new URL(value) : null;
  if (url?.protocol === 'https:' || (url?.protocol === 'http:' && isLocal(url))) return value;
  throw new Error('expected https://…; http only on this machine');
};

const isUuid = (value: unknown): boolean =>
  typeof value === 'string' && /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value);

const parseRole: Parse<string> = (value) => {
  if (!isUuid(value)) throw new Error('expected the uuid of a role');
  return value;
};

const parseMapping: Parse<readonly (readonly [string, string])[]> = (value) => {
  const expected = 'expected JSON such as {"editors": "<uuid of a role>"}';
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

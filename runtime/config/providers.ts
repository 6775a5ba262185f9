/** Single sign-on providers: `AUTH_PROVIDERS` names them, `AUTH_<NAME>_…` configures each. */
import type { ProviderVariable, ValueOf } from './variables.js';

interface CommonConfig {
  readonly name: string;
  readonly clientId: string;
  /** `null`: a public client. */
  readonly clientSecret: string | null;
  /** How the secret is sent; `null`: as the discovery document of the provider says, else in the body. */
  readonly clientAuth: 'client_secret_post' | 'client_secret_basic' | null;
  readonly scope: string;
  /** Claim that identifies a user permanently. */
  readonly identifierKey: string;
  readonly emailKey: string;
  /** True where an unknown user is registered. */
  readonly allowRegistration: boolean;
  /** Role of registered users; `null`: none. */
  readonly defaultRole: string | null;
  /**
   * Claim that lists groups, and the role for each group; the first match applies. Integer group names come first.
   */
  readonly groupsKey: string;
  readonly roleMapping: readonly (readonly [group: string, role: string])[];
  readonly mode: 'json' | 'cookie' | 'session';
  /** Allowed redirect targets of a login, besides those of this server. */
  readonly redirects: readonly string[];
  readonly icon: string | null;
  readonly label: string | null;
}

/** OpenID Connect: endpoints come from the issuer's discovery document. */
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

export interface ProviderSource {
  /** Reads a provider's variable: `AUTH_ACME_DRIVER` for `AUTH_<NAME>_DRIVER`. */
  read<Name extends ProviderVariable>(variable: Name, prefix: string): ValueOf<Name>;
  /** Collected faults. */
  readonly faults: string[];
}

/** Reads every named provider; invalid ones are omitted, with a fault. */
export const readProviders = (
  names: readonly string[],
  source: ProviderSource,
): readonly ProviderConfig[] => {
  const prefixes = new Set<string>();
  return names.flatMap((name) => {
    const prefix = prefixOf(name);
    if (!/^\w[\w-]{0,63}$/.test(name) || name === 'default' || prefixes.has(prefix)) {
      source.faults.push(`AUTH_PROVIDERS has "${name}"; expected distinct names of letters, digits, - and _`);
      return [];
    }
    prefixes.add(prefix);
    return [readProvider(name, source)];
  });
};

const prefixOf = (name: string): string => `AUTH_${name.toUpperCase().replaceAll('-', '_')}_`;

const readProvider = (name: string, { read, faults }: ProviderSource): ProviderConfig => {
  const prefix = prefixOf(name);
  /** @param expected description in the fault of a missing variable */
  const required = <Name extends ProviderVariable>(
    variable: Name,
    expected = '',
  ): NonNullable<ValueOf<Name>> => {
    const before = faults.length;
    const value = read(variable, prefix);
    if (value === null && faults.length === before)
      faults.push(`${variable.replace('AUTH_<NAME>_', prefix)} is missing${expected}`);
    return value as NonNullable<ValueOf<Name>>;
  };
  const driver = required('AUTH_<NAME>_DRIVER', '; expected openid or oauth2');
  const isOpenId = driver !== 'oauth2';
  const common = {
    name,
    clientId: required('AUTH_<NAME>_CLIENT_ID'),
    clientSecret: read('AUTH_<NAME>_CLIENT_SECRET', prefix),
    clientAuth: read('AUTH_<NAME>_CLIENT_TOKEN_ENDPOINT_AUTH_METHOD', prefix),
    scope: read('AUTH_<NAME>_SCOPE', prefix) ?? (isOpenId ? 'openid profile email' : 'email'),
    identifierKey: read('AUTH_<NAME>_IDENTIFIER_KEY', prefix) ?? (isOpenId ? 'sub' : 'id'),
    emailKey: read('AUTH_<NAME>_EMAIL_KEY', prefix),
    allowRegistration: read('AUTH_<NAME>_ALLOW_PUBLIC_REGISTRATION', prefix),
    defaultRole: read('AUTH_<NAME>_DEFAULT_ROLE_ID', prefix),
    groupsKey: read('AUTH_<NAME>_GROUP_CLAIM_NAME', prefix),
    roleMapping: read('AUTH_<NAME>_ROLE_MAPPING', prefix) ?? [],
    mode: read('AUTH_<NAME>_MODE', prefix),
    redirects: read('AUTH_<NAME>_REDIRECT_ALLOW_LIST', prefix),
    icon: read('AUTH_<NAME>_ICON', prefix),
    label: read('AUTH_<NAME>_LABEL', prefix),
  };
  if (isOpenId) return { ...common, driver: 'openid', issuerUrl: required('AUTH_<NAME>_ISSUER_URL') };
  return {
    ...common,
    driver: 'oauth2',
    authorizeUrl: required('AUTH_<NAME>_AUTHORIZE_URL'),
    accessUrl: required('AUTH_<NAME>_ACCESS_URL'),
    profileUrl: required('AUTH_<NAME>_PROFILE_URL'),
  };
};

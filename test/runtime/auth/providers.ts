/** Providers of sign-on, as the environment names them: each in front of the same real one, save for one that is away. */
import type { IdentityProvider } from '../../services/identity.js';
import type { TestServerOptions } from '../server-harness.js';
import { peopleAccess, peopleServer } from './people.js';

/** Keys of roles that a provider gives. */
export const [reader, writer] = [
  '00000000-0000-4000-8000-00000000000a',
  '00000000-0000-4000-8000-00000000000b',
];

/** A server of theirs, with the roles they give. */
export const signOnServer = (
  setting: Pick<TestServerOptions, 'dialect' | 'door'>,
  identity: Parameters<typeof providersOf>[0],
): TestServerOptions => {
  const { roles = {}, ...access } = peopleAccess;
  return {
    ...peopleServer(setting),
    ...setting,
    access: {
      ...access,
      roles: {
        Reader: { ...roles.Reader, id: reader, policies: ['Titles'] },
        Writer: { id: writer, policies: ['Writer'] },
      },
    },
    environment: providersOf(identity),
  };
};

export const providersOf = ({
  issuer,
  client,
}: Pick<IdentityProvider, 'issuer' | 'client'>): Readonly<Record<string, string>> => {
  const openId = (name: string): Readonly<Record<string, string>> => ({
    [`AUTH_${name}_DRIVER`]: 'openid',
    [`AUTH_${name}_CLIENT_ID`]: client.id,
    [`AUTH_${name}_CLIENT_SECRET`]: client.secret,
    [`AUTH_${name}_ISSUER_URL`]: issuer,
  });

  return {
    AUTH_PROVIDERS: 'acme, closed, plain, tokens, away',
    ...openId('ACME'),
    AUTH_ACME_ALLOW_PUBLIC_REGISTRATION: 'true',
    AUTH_ACME_DEFAULT_ROLE_ID: reader,
    AUTH_ACME_ROLE_MAPPING: JSON.stringify({ editors: writer, staff: reader }),
    AUTH_ACME_REDIRECT_ALLOW_LIST: 'https://shop.example/home',
    AUTH_ACME_ICON: 'key',
    AUTH_ACME_LABEL: 'Acme',
    ...openId('CLOSED'),
    AUTH_CLOSED_MODE: 'cookie',
    AUTH_PLAIN_DRIVER: 'oauth2',
    AUTH_PLAIN_CLIENT_ID: client.id,
    AUTH_PLAIN_CLIENT_SECRET: client.secret,
    AUTH_PLAIN_AUTHORIZE_URL: `${issuer}/auth`,
    AUTH_PLAIN_ACCESS_URL: `${issuer}/token`,
    AUTH_PLAIN_PROFILE_URL: `${issuer}/me`,
    AUTH_PLAIN_SCOPE: 'openid email profile',
    AUTH_PLAIN_IDENTIFIER_KEY: 'sub',
    AUTH_PLAIN_ALLOW_PUBLIC_REGISTRATION: 'true',
    AUTH_PLAIN_MODE: 'json',
    ...openId('TOKENS'),
    AUTH_TOKENS_MODE: 'json',
    ...openId('AWAY'),
    AUTH_AWAY_ISSUER_URL: 'http://127.0.0.1:1',
    TRUST_PROXY: '1',
  };
};

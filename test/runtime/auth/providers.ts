/** Providers of sign-on, as the environment names them: each in front of the same real one, save for one that is away. */
import type { IdentityProvider } from '../../services/identity.js';
import { insertRow, type TestServer, type TestServerOptions } from '../server-harness.js';
import { peopleAccess, peopleServer } from './people.js';
import { createVisitor, type Visit, type Visitor } from './visitor.js';

/** Keys of roles that a provider gives. */
export const [reader, writer] = [
  '00000000-0000-4000-8000-00000000000a',
  '00000000-0000-4000-8000-00000000000b',
];

/** A server of theirs, with the roles they give. */
export const signOnServer = (
  setting: Pick<TestServerOptions, 'dialect' | 'listener'>,
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

/** Code of the error, or the status if there is none. */
export const codeOf = ({ status, text }: Visit): unknown => {
  const [error] = (JSON.parse(text) as { errors?: { extensions: { code: string } }[] }).errors ?? [];
  return error === undefined ? status : error.extensions.code;
};

/** Logins through providers, and what is in the database of them. */
export const signOnVisits = (server: () => TestServer) => {
  const at = (path: string): string => `${server().url}${path}`;

  const begin = (visitor: Visitor, provider: string, redirect?: string): Promise<Visit> =>
    visitor.get(
      at(
        `/auth/login/${provider}${redirect === undefined ? '' : `?redirect=${encodeURIComponent(redirect)}`}`,
      ),
    );

  /** Up to the address that the provider leads back to. */
  const reachCallback = async (visitor: Visitor, provider: string, name: string, redirect?: string) => {
    const { location } = await begin(visitor, provider, redirect);
    return visitor.logIn(location ?? '', name);
  };

  return {
    at,
    begin,
    reachCallback,
    async enter(provider: string, name: string, redirect?: string) {
      const visitor = createVisitor();
      return { visitor, answer: await visitor.get(await reachCallback(visitor, provider, name, redirect)) };
    },
    /** A row of somebody that a provider knows. */
    addUser: (provider: string, identifier: string, more: Readonly<Record<string, unknown>> = {}) =>
      insertRow(server().database, 'svc_users', {
        id: crypto.randomUUID(),
        provider,
        external_identifier: identifier,
        status: 'active',
        role: reader,
        ...more,
      }),
    async userOf(identifier: string) {
      const [row] = await server().database.query(
        'select email, role, provider, first_name from svc_users where external_identifier = ?',
        [identifier],
      );
      return row;
    },
    warnings: (): readonly string[] =>
      server().observations.flatMap((seen) => (seen.kind === 'warning' ? [seen.message] : [])),
  };
};

/** An OpenID Connect provider on a free port that accepts any user name with any password. */
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Provider } from 'oidc-provider';

export type IdentityClaims = Readonly<Record<string, unknown>>;

export interface IdentityProvider {
  readonly issuer: string;
  readonly client: { readonly id: string; readonly secret: string };
  /** Claims by user name; other users have only their name. Tests may change it. */
  readonly people: Map<string, IdentityClaims>;
  /** Responses that replace the regular ones, by path. Tests may change it. */
  readonly answers: Map<string, (response: ServerResponse) => void>;
  /** Registers redirect URIs. @param method the only way in which the client may send its secret */
  allow(callbacks: readonly string[], method?: 'client_secret_post' | 'client_secret_basic'): void;
  close(): Promise<void>;
}

const client = { id: 'svc', secret: 'a secret of the client' };

export const startIdentityProvider = async (): Promise<IdentityProvider> => {
  const people = new Map<string, IdentityClaims>();
  const answers: IdentityProvider['answers'] = new Map();
  let handle: ReturnType<Provider['callback']> | null = null;
  const server = createServer((request, response) => {
    const answer = answers.get(new URL(request.url ?? '', 'http://provider').pathname);
    if (answer === undefined) void handle?.(request, response);
    else answer(response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    issuer,
    client,
    people,
    answers,
    allow(callbacks, method = 'client_secret_post') {
      handle = new Provider(issuer, {
        clientAuthMethods: [method],
        clients: [
          {
            client_id: client.id,
            client_secret: client.secret,
            redirect_uris: [...callbacks],
            token_endpoint_auth_method: method,
          },
        ],
        claims: {
          openid: ['sub'],
          email: ['email', 'email_verified'],
          profile: ['given_name', 'family_name', 'groups'],
        },
        findAccount: (_context, id) => ({
          accountId: id,
          claims: () => ({ ...people.get(id), sub: id }),
        }),
        pkce: { required: () => true },
        cookies: { keys: ['a key of cookies'] },
      }).callback();
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};

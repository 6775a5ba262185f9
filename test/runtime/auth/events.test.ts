/** Events that revoke credentials, which a second process rejects on the next request. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hashPassword } from '../../../runtime/auth/passwords/hash.js';
import { cookiesOf } from '../harness/cookies.js';
import { useServer } from '../harness/use-server.js';
import { settingsOf, type Answer, type TestServer } from '../server-harness.js';
import { login, peopleAccess, peopleServer, type Tokens } from './people.js';

const settings = settingsOf(import.meta.url);

const credentials = ['jwt', 'session', 'static'] as const;

type Credential = (typeof credentials)[number];

interface Person {
  readonly name: string;
  readonly id: string;
  readonly tokens: Tokens;
  readonly session: string;
  /** Key of the only policy of this person. */
  readonly policy: string;
}

/** An action of the administrator or the person, and the response to each credential afterwards. */
interface Event {
  readonly what: string;
  readonly happen: (server: TestServer, person: Person) => Promise<Answer | void>;
  readonly codes: Readonly<Record<Credential, string | null>>;
}

const patch =
  (changes: (server: TestServer) => Promise<unknown> | unknown): Event['happen'] =>
  async (server, { id }) =>
    server.request('PATCH', `/users/${id}`, { as: 'admin', body: await changes(server) });

const patchPolicy =
  (changes: unknown): Event['happen'] =>
  (server, { policy }) =>
    server.request('PATCH', `/policies/${policy}`, { as: 'admin', body: changes });

const every = (code: string | null): Event['codes'] => ({ jwt: code, session: code, static: code });

const events: readonly Event[] = [
  {
    what: 'logout',
    happen: async (server, { tokens, session }) => {
      await server.request('POST', '/auth/logout', { body: { refresh_token: tokens.refresh_token } });
      return server.request('POST', '/auth/logout', {
        headers: { cookie: `svc_session_token=${session}` },
        body: { mode: 'session' },
      });
    },
    codes: { jwt: 'INVALID_CREDENTIALS', session: 'INVALID_CREDENTIALS', static: null },
  },
  {
    what: 'suspend',
    happen: patch(() => ({ status: 'suspended' })),
    codes: { jwt: 'USER_SUSPENDED', session: 'USER_SUSPENDED', static: 'INVALID_CREDENTIALS' },
  },
  {
    what: 'delete',
    happen: (server, { id }) => server.request('DELETE', `/users/${id}`, { as: 'admin' }),
    codes: every('INVALID_CREDENTIALS'),
  },
  {
    what: 'password change',
    happen: patch(() => ({ password: 'another password' })),
    codes: { jwt: 'INVALID_CREDENTIALS', session: 'INVALID_CREDENTIALS', static: null },
  },
  {
    what: 'password change in SQL',
    happen: async (server, { id }) => {
      await server.database.write({
        text: 'update svc_users set password = ? where id = ?',
        values: [await hashPassword('another password'), id],
      });
      await server.database.write({
        text: 'update svc_access_version set version = version + 1',
        values: [],
      });
    },
    codes: { jwt: 'INVALID_CREDENTIALS', session: 'INVALID_CREDENTIALS', static: null },
  },
  {
    what: 'role change',
    happen: patch((server) => ({ role: server.ids.roles.get('Powerless') })),
    codes: every('FORBIDDEN'),
  },
  {
    what: 'policy change',
    happen: async (server, { policy }) => {
      const { data } = await server.request('GET', `/permissions?filter[policy][_eq]=${policy}&fields=id`, {
        as: 'admin',
      });
      const [{ id }] = data as [{ id: number }];
      return server.request('DELETE', `/permissions/${id}`, { as: 'admin' });
    },
    codes: every('FORBIDDEN'),
  },
  {
    what: 'change of the addresses of the user',
    happen: patch(() => ({ ip_access: ['10.0.0.0/8'] })),
    codes: every('INVALID_IP'),
  },
  {
    what: 'change of the addresses of the only policy',
    happen: patchPolicy({ ip_access: ['10.0.0.0/8'] }),
    codes: every('INVALID_IP'),
  },
  {
    what: 'policy that asks for one-time passwords',
    happen: patchPolicy({ enforce_tfa: true }),
    codes: every('FORBIDDEN'),
  },
  {
    what: 'token change',
    happen: patch(() => ({ token: 'a-token-of-another-kind' })),
    codes: { jwt: null, session: null, static: 'INVALID_CREDENTIALS' },
  },
];

describe.each(settings)('on $dialect through $listener', (setting) => {
  const { users: { ann = {} } = {}, policies: { Titles = [] } = {} } = peopleAccess;
  const names = events.map((_, index) => `person${index}`);
  const forEach = <Value>(value: (name: string) => Value) =>
    Object.fromEntries(names.map((name) => [name, value(name)]));
  const server = useServer({
    ...peopleServer(setting),
    ...setting,
    access: {
      policies: forEach(() => Titles),
      roles: { ...forEach((name) => ({ policies: [name] })), Powerless: { policies: [] } },
      users: forEach((name) => ({ ...ann, role: name })),
    },
  });
  let second: TestServer;
  beforeAll(async () => {
    second = await server().startAnother();
  });
  afterAll(() => second.close());

  const enter = async (name: string): Promise<Person> => {
    const session = cookiesOf(await login(server(), name, { mode: 'session' })).get(
      'svc_session_token',
    )?.value;
    const tokens = (await login(server(), name)).data as Tokens;
    const { users, policies } = server().ids;
    const [id = '', policy = ''] = [users.get(name), policies.get(name)];
    return { name, id, policy, tokens, session: session ?? '' };
  };

  const ask = async ({ name, tokens, session }: Person, credential: Credential) => {
    const headers: Readonly<Record<Credential, Readonly<Record<string, string>>>> = {
      jwt: { authorization: `Bearer ${tokens.access_token}` },
      session: { cookie: `svc_session_token=${session}` },
      static: { authorization: `Bearer ${name}-token` },
    };
    const { codes } = await second.request('GET', '/items/book?limit=1&fields=id', {
      headers: headers[credential],
    });
    return codes[0] ?? null;
  };

  const askAll = async (person: Person) =>
    Object.fromEntries(
      await Promise.all(credentials.map(async (each) => [each, await ask(person, each)] as const)),
    );

  it.each(events.map((event, index) => [event.what, event, `person${index}`] as const))(
    'a %s acts on the next request',
    async (_, { happen, codes }, name) => {
      const person = await enter(name);
      expect(await askAll(person)).toEqual(every(null));
      const answer = await happen(server(), person);
      expect([undefined, 200, 204]).toContain(answer?.status);
      expect(await askAll(person)).toEqual(codes);
    },
  );
});

/** Every code of the error table, reached as a client would: over HTTP, and in GraphQL where it exists there. */
import jwt from 'jsonwebtoken';
import { describe, expect, it } from 'vitest';
import { loadSpec } from '../../../generator/spec/load.js';
import { specFolders } from '../../../runtime/config/paths.js';
import { dialectsOf } from '../../databases.js';
import { login, password, peopleServer } from '../auth/people.js';
import { sqlFor } from '../harness/sql.js';
import { useServer } from '../harness/use-server.js';
import { testSecret, type Answer, type RequestOptions, type TestServer } from '../server-harness.js';

const dialects = dialectsOf(import.meta.url);

/** Sends what is refused with the code. */
type Ask = (server: TestServer) => Promise<Answer>;

interface Ways {
  readonly rest: Ask;
  /** Absent: no document leads there. */
  readonly graphql?: Ask;
}

const send =
  (method: string, path: string, options: RequestOptions = { as: 'admin' }): Ask =>
  (server) =>
    server.request(method, path, options);

const post = (path: string, body: unknown): Ask => send('POST', path, { as: 'admin', body });

const ask = (query: string, options: RequestOptions = { as: 'admin' }, path = '/graphql'): Ask =>
  send('POST', path, { ...options, body: { query } });

const askSystem = (query: string, options: RequestOptions = {}): Ask =>
  ask(query, options, '/graphql/system');

const bearer = (token: string): RequestOptions => ({ headers: { authorization: `Bearer ${token}` } });

const loginAs = (email: string): string =>
  `mutation { auth_login(email: "${email}", password: "${password}") { access_token } }`;

const titles = '{ book(limit: 1) { title } }';

/** A claim of somebody who was logged in until a moment ago. */
const expired = async (server: TestServer): Promise<RequestOptions> => {
  const { data } = await login(server, 'ann');
  const { exp: _, ...claims } = jwt.decode((data as { access_token: string }).access_token) as jwt.JwtPayload;
  return bearer(jwt.sign(claims, testSecret, { expiresIn: -1 }));
};

const suspended =
  (way: (token: string) => Ask): Ask =>
  async (server) => {
    const path = `/users/${server.ids.users.get('cleo') ?? ''}`;
    const { data } = await login(server, 'cleo');
    await send('PATCH', path, { as: 'admin', body: { status: 'suspended' } })(server);
    try {
      return await way((data as { access_token: string }).access_token)(server);
    } finally {
      await send('PATCH', path, { as: 'admin', body: { status: 'active' } })(server);
    }
  };

/** The last one, who has to stay. */
const administrator = async (server: TestServer): Promise<string> =>
  ((await send('GET', '/users/me?fields=id')(server)).data as { readonly id: string }).id;

const forbiddenToken = bearer(jwt.sign({ iss: 'svc' }, 'x'.repeat(40), { expiresIn: 60 }));

/** Beside the server, so that nobody else is counted. */
const limited =
  (way: Ask): Ask =>
  async (server) => {
    const other = await server.startAnother({
      RATE_LIMITER_ENABLED: 'true',
      RATE_LIMITER_POINTS: '1',
      RATE_LIMITER_DURATION: '60',
    });
    try {
      await way(other);
      return await way(other);
    } finally {
      await other.close();
    }
  };

/** A column takes no null any more since the server has looked. */
const stricter =
  (way: Ask): Ask =>
  async (server) => {
    const words = '"words" varchar(200) not null';
    const columns = `"id" {counter}, "book" integer not null, "stars" integer not null, ${words}`;
    const run = (script: string): Promise<void> => server.execute(sqlFor(server.dialect, script));
    await run(`alter table "review" rename to "review_away"; create table "review" (${columns});`);
    try {
      return await way(server);
    } finally {
      await run('drop table "review"; alter table "review_away" rename to "review";');
    }
  };

/** Without a table the query fails in a way that nobody foresaw. */
const broken =
  (way: Ask): Ask =>
  async (server) => {
    await server.execute('alter table review rename to review_away');
    try {
      return await way(server);
    } finally {
      await server.execute('alter table review_away rename to review');
    }
  };

const codes: Readonly<Record<string, Ways>> = {
  FAILED_VALIDATION: {
    rest: post('/items/author', { name: 'x', born: 'yesterday' }),
    graphql: ask('mutation { create_author_item(data: { name: "x", born: "yesterday" }) { id } }'),
  },
  INVALID_PAYLOAD: {
    rest: post('/items/book', { title: 'x', colour: 'red' }),
    graphql: askSystem('mutation { auth_refresh(mode: cookie) { access_token } }'),
  },
  INVALID_FOREIGN_KEY: {
    rest: post('/items/review', { book: 9_999, stars: 1 }),
    graphql: ask('mutation { create_review_item(data: { book: { id: "9999" }, stars: 1 }) { id } }'),
  },
  NOT_NULL_VIOLATION: {
    rest: stricter(post('/items/review', { book: 1, stars: 1, words: null })),
    graphql: stricter(
      ask('mutation { create_review_item(data: { book: { id: "1" }, stars: 1, words: null }) { id } }'),
    ),
  },
  RECORD_NOT_UNIQUE: {
    rest: post('/items/book', { title: 'x', isbn: 'B-1' }),
    graphql: ask('mutation { create_book_item(data: { title: "x", isbn: "B-1" }) { id } }'),
  },
  VALUE_OUT_OF_RANGE: {
    rest: post('/items/book', { title: 'x', year: 70_000 }),
    graphql: ask('mutation { create_book_item(data: { title: "x", year: 70000 }) { id } }'),
  },
  VALUE_TOO_LONG: {
    rest: post('/items/book', { title: 'x'.repeat(81) }),
    graphql: ask(`mutation { create_book_item(data: { title: "${'x'.repeat(81)}" }) { id } }`),
  },
  INVALID_QUERY: {
    rest: send('GET', '/items/book?limit=-2'),
    graphql: ask('{ book(limit: -2) { id } }'),
  },
  INVALID_CREDENTIALS: {
    rest: send('POST', '/auth/login', { body: { email: 'nobody@example.com', password } }),
    graphql: askSystem(loginAs('nobody@example.com')),
  },
  INVALID_IP: {
    rest: send('GET', '/items/book', { as: 'elsewhere' }),
    graphql: ask(titles, { as: 'elsewhere' }),
  },
  INVALID_OTP: {
    rest: (server) => login(server, 'guarded'),
    graphql: askSystem(loginAs('guarded@example.com')),
  },
  TOKEN_EXPIRED: {
    rest: async (server) => server.request('GET', '/items/book', await expired(server)),
    graphql: async (server) => ask(titles, await expired(server))(server),
  },
  USER_SUSPENDED: {
    rest: suspended((token) => send('GET', '/items/book', bearer(token))),
    graphql: suspended((token) => ask(titles, bearer(token))),
  },
  FORBIDDEN: {
    rest: send('GET', '/items/book/9999'),
    graphql: ask('mutation { delete_book_item(id: "9999") { id } }'),
  },
  INVALID_TOKEN: {
    rest: send('GET', '/items/book', forbiddenToken),
    graphql: ask(titles, forbiddenToken),
  },
  ROUTE_NOT_FOUND: { rest: send('GET', '/nowhere') },
  METHOD_NOT_ALLOWED: { rest: send('PUT', '/graphql') },
  PRECONDITION_FAILED: {
    rest: send('PATCH', '/items/book/201', {
      as: 'admin',
      body: { title: 'x' },
      headers: { 'if-match': '"another version"' },
    }),
  },
  CONTENT_TOO_LARGE: {
    rest: post('/items/book', { title: 'x'.repeat(1_100_000) }),
    graphql: ask(`{ book(search: "${'x'.repeat(1_100_000)}") { id } }`),
  },
  UNSUPPORTED_MEDIA_TYPE: {
    rest: send('POST', '/items/book', {
      as: 'admin',
      raw: 'title=x',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    }),
    graphql: send('POST', '/graphql', {
      as: 'admin',
      raw: titles,
      headers: { 'content-type': 'text/plain' },
    }),
  },
  UNPROCESSABLE_ENTITY: {
    rest: async (server) =>
      server.request('DELETE', `/users/${await administrator(server)}`, { as: 'admin' }),
    graphql: async (server) =>
      askSystem(`mutation { delete_users_item(id: "${await administrator(server)}") { id } }`, {
        as: 'admin',
      })(server),
  },
  REQUESTS_EXCEEDED: {
    rest: limited(send('GET', '/items/book', { as: 'ann' })),
    graphql: limited(ask(titles, { as: 'ann' })),
  },
  GRAPHQL_VALIDATION: { rest: ask('{ nothing { id } }') },
  INTERNAL_SERVER_ERROR: {
    rest: broken(send('GET', '/items/review')),
    graphql: broken(ask('{ review { id } }')),
  },
};

/** With the place where each is reached instead. */
const elsewhere: Readonly<Record<string, string>> = {
  QUERY_TOO_COMPLEX: 'more nested rows than configured: test/runtime/behaviour/query-cost.test.ts',
  SERVICE_UNAVAILABLE: 'a database that goes away: test/runtime/supervisor.test.ts',
  GONE: 'a result that has expired: test/queue/operations.test.ts',
  CONTAINS_NULL_VALUES: 'changes of the schema, which are not served yet',
};

const { errors } = await loadSpec(specFolders());
const statuses = new Map(errors.map(({ code, status }) => [code, status]));

it('tests every code of the table', () => {
  const known = [...Object.keys(codes), ...Object.keys(elsewhere)];
  expect(known.toSorted()).toEqual([...statuses.keys()].toSorted());
});

describe.each(dialects)('codes on %s', (dialect) => {
  const { access, ...people } = peopleServer({ dialect });
  const columns = access?.users?.ann?.columns ?? {};
  const server = useServer({
    followsSchema: false,
    ...people,
    access: {
      ...access,
      users: {
        ...access?.users,
        elsewhere: { role: 'Reader', columns: { ip_access: '["10.0.0.1"]' } },
        guarded: { role: 'Reader', columns: { ...columns, tfa_secret: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP' } },
      },
    },
  });

  it.each(Object.entries(codes))(
    '%s is returned with its status, by REST and GraphQL',
    async (code, { rest, graphql }) => {
      const answer = await rest(server());
      expect([answer.status, answer.codes]).toEqual([statuses.get(code), [code]]);
      if (graphql === undefined) return;
      expect((await graphql(server())).codes).toEqual([code]);
    },
  );
});

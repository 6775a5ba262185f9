/** A library with people who log in. */
import jwt from 'jsonwebtoken';
import { Secret, TOTP } from 'otpauth';
import { librarySql } from '../behaviour/library.js';
import type { Client } from '../harness/client.js';
import { cheapHash } from '../harness/passwords.js';
import type { TestUser } from '../harness/rows.js';
import type { Answer, TestAccess, TestServer, TestServerOptions } from '../server-harness.js';

export const password = 'correct horse battery';
const hash = await cheapHash(password);

const columns = { password: hash };

export const peopleAccess: TestAccess = {
  policies: {
    Titles: [{ collection: 'book', action: 'read', fields: ['id', 'title'] }],
    Writer: [
      { collection: 'book', action: 'read', fields: ['*'] },
      { collection: 'book', action: 'update', fields: ['title'] },
    ],
  },
  roles: { Reader: { policies: ['Titles'] }, Writer: { policies: ['Writer'] } },
  users: {
    ann: { role: 'Reader', columns },
    ben: { role: 'Writer', columns },
    cleo: { role: 'Reader', columns },
    dora: { role: 'Reader', columns },
    eve: { role: 'Reader', columns },
    fay: { role: 'Reader', columns },
    gone: { role: 'Reader', columns: { ...columns, status: 'suspended' } },
    tokenOnly: { role: 'Reader' },
    foreign: { role: 'Reader', columns: { ...columns, provider: 'acme' } },
  },
};

/** Returns readers with the password, for tests that change what belongs to one person. */
export const readers = (...names: readonly string[]): Readonly<Record<string, TestUser>> =>
  Object.fromEntries(names.map((name) => [name, { role: 'Reader', columns }]));

export const peopleServer = (
  { dialect }: Pick<TestServerOptions, 'dialect'>,
  more: Readonly<Record<string, TestUser>> = {},
): TestServerOptions => ({
  dialect,
  sql: librarySql(dialect),
  access: { ...peopleAccess, users: { ...peopleAccess.users, ...more } },
});

export interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly expires: number;
}

export const login = (
  server: Client,
  name: string,
  more: Readonly<Record<string, unknown>> = {},
): Promise<Answer> =>
  server.request('POST', '/auth/login', { body: { email: `${name}@example.com`, password, ...more } });

export const logIn = async (server: TestServer, name: string): Promise<Tokens> =>
  (await login(server, name)).data as Tokens;

/** Claims of a token of this person, to be signed differently. */
export const claimsOf = async (server: TestServer, name: string) => {
  const { id, session } = jwt.decode((await logIn(server, name)).access_token) as Record<string, string>;
  return { id, session, iss: 'svc' };
};

export const refresh = (server: TestServer, token: string): Promise<Answer> =>
  server.request('POST', '/auth/refresh', { body: { refresh_token: token } });

/** Reads as the holder of a token. */
export const readBooks = (server: TestServer, token: string): Promise<Answer> =>
  server.request('GET', '/items/book?limit=1&sort=id&fields=id', {
    headers: { authorization: `Bearer ${token}` },
  });

interface Activity {
  readonly action: string;
  readonly user: string | null;
  readonly fields: readonly string[] | null;
  readonly ip: string | null;
  readonly user_agent: string | null;
}

/** Recorded activity on a user, in order. */
export const activityOf = async (server: TestServer, user: string): Promise<readonly Activity[]> => {
  const { data } = await server.request(
    'GET',
    `/activity?filter[collection][_eq]=svc_users&filter[item][_eq]=${user}&sort=id`,
    { as: 'admin' },
  );
  return data as Activity[];
};

/** The code of an application that knows the secret. @param steps before or after now */
export const codeOf = (secret: string, steps = 0): string =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: Date.now() + steps * 30_000 });

/** Turns them on, with the code of the step before, so that the present one has not been used. @returns the secret */
export const enableCodes = async (server: TestServer, as: string): Promise<string> => {
  const generated = await server.request('POST', '/users/me/tfa/generate', { body: { password }, as });
  const { secret } = generated.data as { readonly secret: string };
  const enable = () =>
    server.request('POST', '/users/me/tfa/enable', { body: { secret, otp: codeOf(secret, -1) }, as });
  const first = await enable();
  // between making a code and reading it, its time may be over
  const { status, text } = first.status === 204 ? first : await enable();
  if (status !== 204) throw new Error(text);
  return secret;
};

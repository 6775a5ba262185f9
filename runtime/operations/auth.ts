/** Bodies of `spec/operations/auth.yaml`. */
import type {
  AuthLoginInput,
  AuthLoginOutput,
  AuthRefreshInput,
  Operations,
} from '../../generated/server/operations.js';
import { sessionCookie } from '../access/credentials.js';
import { createAttempts } from '../auth/attempts.js';
import { createAuthentication, type Given, type Mode } from '../auth/login.js';
import { createMailer } from '../auth/mail.js';
import { createPasswordReset } from '../auth/password-reset.js';
import { createSessions, type Session } from '../auth/sessions.js';
import { apiError, forbidden, invalidPayload } from '../errors.js';
import type { OperationContext } from './context.js';
import type { OperationServices } from './services.js';

export const createAuthOperations = (services: OperationServices) => {
  const { database, dialect, tokens, config, url, background } = services;
  const attempts = createAttempts(database, dialect.quote);
  const sessions = createSessions({ database, quote: dialect.quote, tokens });
  const authentication = createAuthentication({ database, tokens, sessions, attempts, ttls: config.auth });
  const passwordReset = createPasswordReset({
    database,
    tokens,
    sessions,
    attempts,
    send: createMailer(config.mail),
    page: () => `${url()}/reset-password`,
    pages: config.auth.resetUrls,
    ttl: config.auth.resetTtl,
  });

  const login = async (
    { mode = 'json', ...credentials }: AuthLoginInput['body'],
    context: OperationContext,
  ): Promise<AuthLoginOutput> =>
    hand(await authentication.login(credentials, mode, context.client), mode, context);

  return {
    async authProviders() {
      return { data: [], disableDefault: false };
    },

    authLogin: ({ body }, context) => login(body, context),

    async authLoginProvider({ provider, body }, context) {
      if (provider !== 'default') throw apiError('ROUTE_NOT_FOUND', { path: `/auth/login/${provider}` });
      return login(body, context);
    },

    async authRefresh({ body }, context) {
      const { token, mode } = findToken(body, context);
      return hand(await authentication.refresh(token, mode), mode, context);
    },

    async authLogout({ body }, context) {
      const { token, mode } = findToken(body, context);
      await authentication.logout(token, mode);
      if (mode !== 'json') setCookie(mode, '', { lasts: 0, context });
    },

    async authPasswordRequest({ body: { email, reset_url: page } }) {
      const send = passwordReset.request({ email, ...(page !== undefined && { page }) });
      background.run('password reset', send);
    },

    async authPasswordReset({ body: { token, password } }) {
      await passwordReset.reset(token, password);
    },

    async authSessions(_input, context) {
      const { user, session } = await context.principal();
      const found = await sessions.list(user?.id ?? '');
      return { data: found.map((each) => describe(each, session)) };
    },

    async authSessionEnd({ id }, context) {
      const { user } = await context.principal();
      if (!(await sessions.end(id, user?.id ?? ''))) throw forbidden('you have no such session');
    },
  } satisfies Partial<Operations>;
};

const cookieOf: Readonly<Record<Exclude<Mode, 'json'>, string>> = {
  cookie: 'svc_refresh_token',
  session: sessionCookie,
};

/** Tokens go where the mode says. */
const hand = ({ access, refresh, expires, lasts }: Given, mode: Mode, context: OperationContext) => {
  if (mode === 'session') setCookie(mode, access, { lasts, context });
  if (mode === 'cookie') setCookie(mode, refresh ?? '', { lasts, context });
  return {
    data: {
      ...(mode !== 'session' && { access_token: access }),
      expires,
      ...(mode === 'json' && refresh !== null && { refresh_token: refresh }),
    },
  };
};

interface CookieOptions {
  /** Milliseconds; 0 takes the cookie back. */
  readonly lasts: number;
  readonly context: OperationContext;
}

const setCookie = (mode: Exclude<Mode, 'json'>, value: string, { lasts, context }: CookieOptions): void =>
  context.setCookie(cookieOf[mode], value, {
    httpOnly: true,
    secure: context.client.secure,
    sameSite: 'lax',
    path: '/',
    maxAge: Math.floor(lasts / 1000),
  });

/**
 * The token in the body, or in the cookie of the mode.
 * @throws INVALID_PAYLOAD where it is not where the mode says; FORBIDDEN for a cookie that a foreign page made use of
 */
const findToken = (
  { refresh_token: given, mode = given === undefined ? 'cookie' : 'json' }: AuthRefreshInput['body'],
  context: OperationContext,
): { readonly token: string; readonly mode: Mode } => {
  if (mode === 'json') {
    if (given === undefined)
      throw invalidPayload('"refresh_token" is missing; mode "json" takes it from the body');
    return { token: given, mode };
  }
  const token = context.cookies[cookieOf[mode]];
  if (given !== undefined || token === undefined || token === '') {
    throw invalidPayload(
      `mode "${mode}" takes the token from the cookie "${cookieOf[mode]}" and nowhere else`,
    );
  }
  context.requireOwnPage();
  return { token, mode };
};

const describe = ({ id, created, expires, ip, userAgent, origin }: Session, current: string | null) => ({
  id,
  date_created: new Date(created).toISOString(),
  expires: new Date(expires).toISOString(),
  ip,
  user_agent: userAgent,
  origin,
  current: id === current,
});

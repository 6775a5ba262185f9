/** Handlers of `spec/operations/auth.yaml`. */
import type {
  AuthLoginInput,
  AuthLoginOutput,
  AuthRefreshInput,
  Operations,
} from '../../generated/server/operations.js';
import { toSessionError, type SameSite } from '../access/credentials.js';
import type { AuthContext } from '../auth/context.js';
import { logIn, logOut, refreshLogin, type Mode } from '../auth/login.js';
import { endSession, type Session } from '../auth/session-store.js';
import { listSessions } from '../auth/sessions.js';
import type { ProviderConfig } from '../config/providers.js';
import { apiError, forbidden, invalidPayload } from '../../contract/errors.js';
import type { OperationContext } from './context.js';
import { cookieOf, respondWithTokens, setCookie } from './token-response.js';

/** Creates the handlers of logins, renewals and logouts. @param sameSite attribute of the cookies that they set */
export const createAuthOperations = (auth: AuthContext, sameSite: SameSite) => {
  const { database } = auth;
  const { providers, disableDefault } = auth.settings;

  const login = async (
    { mode = 'json', ...credentials }: AuthLoginInput['body'],
    context: OperationContext,
  ): Promise<AuthLoginOutput> =>
    respondWithTokens(await logIn(credentials, { mode, from: context.client }, auth), mode, {
      context,
      sameSite,
    });

  return {
    async authProviders() {
      return { data: providers.map(describeProvider), disableDefault };
    },

    async authLogin({ body }, context) {
      if (disableDefault) throw apiError('ROUTE_NOT_FOUND', { path: '/auth/login' });
      return login(body, context);
    },

    async authLoginProvider({ provider, body }, context) {
      if (disableDefault || provider !== 'default')
        throw apiError('ROUTE_NOT_FOUND', { path: `/auth/login/${provider}` });
      return login(body, context);
    },

    async authRefresh({ body }, context) {
      const { token, mode } = findToken(body, context);
      const renewal = refreshLogin(token, { mode, address: context.client.address }, auth);
      const tokens = await (mode === 'session' ? renewal.catch(toSessionError) : renewal);
      return respondWithTokens(tokens, mode, { context, sameSite });
    },

    async authLogout({ body }, context) {
      const { token, mode } = findToken(body, context);
      await logOut(token, mode, auth);
      if (mode !== 'json') setCookie(mode, '', { ttl: 0, context, sameSite });
    },

    async authSessions(_input, context) {
      const { user, session } = await context.principal();
      const found = await listSessions(database, user?.id ?? '');
      return { data: found.map((each) => describeSession(each, session)) };
    },

    async authSessionEnd({ id }, context) {
      const { user, policies } = await context.principal();
      const owner = policies.admin ? undefined : (user?.id ?? '');
      if (!(await endSession(database, id, owner))) throw forbidden('you have no session with this id');
    },
  } satisfies Partial<Operations>;
};

/**
 * Returns the refresh token from the body, or from the cookie of the mode.
 * @throws INVALID_PAYLOAD when the token is not where the mode requires it; FORBIDDEN when a page of another site sent
 * the cookie
 */
const findToken = (
  { refresh_token: given, mode: named }: AuthRefreshInput['body'],
  context: OperationContext,
): { readonly token: string; readonly mode: Mode } => {
  const mode = named ?? (given === undefined ? 'cookie' : 'json');
  if (mode === 'json') {
    if (given === undefined)
      throw invalidPayload('"refresh_token" is missing; mode "json" reads it from the body');
    return { token: given, mode };
  }
  const token = context.cookies[cookieOf[mode]];
  if (named === undefined && (token === undefined || token === '')) {
    throw invalidPayload(
      `"refresh_token" is missing, and there is no cookie "${cookieOf[mode]}"; a session cookie needs mode "session"`,
    );
  }
  if (given !== undefined || token === undefined || token === '') {
    throw invalidPayload(`mode "${mode}" reads the token only from the cookie "${cookieOf[mode]}"`);
  }
  context.requireOwnPage();
  return { token, mode };
};

const describeSession = (
  { id, created, expires, ip, userAgent, origin }: Session,
  current: string | null,
) => ({
  id,
  date_created: new Date(created).toISOString(),
  expires: new Date(expires).toISOString(),
  ip,
  user_agent: userAgent,
  origin,
  current: id === current,
});

const describeProvider = ({ name, driver, icon, label }: ProviderConfig) => ({
  name,
  driver,
  ...(icon !== null && { icon }),
  ...(label !== null && { label }),
});

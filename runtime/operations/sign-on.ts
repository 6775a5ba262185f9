/** Handlers of `spec/operations/auth.yaml` about single sign-on. */
import type { Operations } from '../../generated/server/operations.js';
import { createAttempts } from '../auth/attempts.js';
import { createAuthentication } from '../auth/login.js';
import { createSessions } from '../auth/sessions.js';
import { createProviderAccounts } from '../auth/sign-on/provider-accounts.js';
import { createSignOn, stateTtl, withReason, type PendingLogin } from '../auth/sign-on/sign-on.js';
import { ApiError } from '../../contract/errors.js';
import { recordChanges } from './activity.js';
import type { OperationContext } from './context.js';
import { respondWithTokens, preventCaching } from './token-response.js';
import type { OperationServices } from './services.js';

export const createSignOnOperations = (services: OperationServices) => {
  const { database, tokens, config, url, base, observe } = services;
  const attempts = createAttempts(database);
  const sessions = createSessions({ database, tokens });
  const authentication = createAuthentication({ database, tokens, sessions, attempts, ttls: config.auth });
  const signOn = createSignOn({
    configs: config.auth.providers,
    tokens,
    attempts,
    accounts: createProviderAccounts(database),
    url,
    warn: (message) => observe({ kind: 'warning', message }),
  });

  /** Sets the cookie of a started login; its path limits it to the callback. */
  const setToken = (
    provider: string,
    state: string,
    value: string,
    { client, setCookie }: OperationContext,
  ): void =>
    setCookie(cookieOf(provider, state), value, {
      httpOnly: true,
      secure: client.secure,
      // the callback is a navigation from another site
      sameSite: 'lax',
      path: `${base}/auth/login/${provider}/callback`,
      maxAge: value === '' ? 0 : stateTtl / 1000,
    });

  const complete = async (pending: PendingLogin, context: OperationContext) => {
    const { mode } = pending.provider.config;
    const record = recordChanges(services, context);
    const account = await signOn.finish(pending, { query: context.query, record });
    return respondWithTokens(await authentication.begin(account, mode, context.client), mode, context);
  };

  return {
    async authLoginRedirect({ provider, redirect }, context) {
      const { url: authorizationUrl, state, token } = await signOn.begin(provider, redirect);
      setToken(provider, state, token, context);
      redirectTo(authorizationUrl, context);
    },

    async authLoginCallback({ provider }, context) {
      const state = new URLSearchParams(context.query).get('state') ?? '';
      const pending = await signOn.resume(provider, state, context.cookies[cookieOf(provider, state)]);
      setToken(provider, state, '', context);
      preventCaching(context);
      const { redirect } = pending;
      if (redirect === null) return { status: 200, body: await complete(pending, context) };
      const page = await complete(pending, context).then(
        () => redirect,
        (error: unknown) => {
          if (error instanceof ApiError) return withReason(redirect, error);
          throw error;
        },
      );
      redirectTo(page, context);
      return { status: 302, body: undefined };
    },
  } satisfies Partial<Operations>;
};

/** Returns the cookie name of one login, so that several can run at once. */
const cookieOf = (provider: string, state: string): string => `svc_sign_on_${provider}_${state.slice(0, 8)}`;

const redirectTo = (url: string, { setHeader }: OperationContext): void => {
  setHeader('location', url);
  setHeader('referrer-policy', 'no-referrer');
};

/** Handlers of `spec/operations/auth.yaml` about single sign-on. */
import type { Operations } from '../../generated/server/operations.js';
import type { AuthContext } from '../auth/context.js';
import { logInAccount } from '../auth/login.js';
import { addReason } from '../auth/sign-on/redirect.js';
import { createSignOn, stateTtl, type PendingLogin } from '../auth/sign-on/sign-on.js';
import { recordChanges } from './activity.js';
import type { OperationContext } from './context.js';
import { respondWithTokens, preventCaching } from './token-response.js';
import type { OperationServices } from './services.js';

/** Creates the handlers of logins at providers; the state of a login is in a cookie, not in the database. */
export const createSignOnOperations = (services: OperationServices, auth: AuthContext) => {
  const { base, url, observe } = services;
  const signOn = createSignOn({
    ...auth,
    configs: auth.settings.providers,
    url,
    warn: (message) => observe({ kind: 'warning', message }),
  });

  const complete = async (pending: PendingLogin, context: OperationContext) => {
    const { mode } = pending.provider.config;
    const recordChange = recordChanges(services, context);
    const account = await signOn.finish(pending, { query: context.query, recordChange });
    const tokens = await logInAccount(account, { mode, from: context.client }, auth);
    return respondWithTokens(tokens, mode, { context, sameSite: services.config.cookieSameSite });
  };

  return {
    async authLoginRedirect({ provider, redirect }, context) {
      const started = await signOn.begin(provider, redirect);
      if (started.state !== null)
        setStateCookie({ provider, state: started.state, base }, started.token, context);
      redirectTo(started.url, context);
    },

    async authLoginCallback({ provider }, context) {
      const state = new URLSearchParams(context.query).get('state') ?? '';
      const pending = await signOn.resume(provider, state, context.cookies[cookieOf(provider, state)]);
      setStateCookie({ provider, state, base }, '', context);
      preventCaching(context);
      const { redirect } = pending;
      if (redirect === null) return { status: 200, body: await complete(pending, context) };
      const page = await complete(pending, context).then(() => redirect, addReason(redirect));
      redirectTo(page, context);
      return { status: 302, body: undefined };
    },
  } satisfies Partial<Operations>;
};

interface StateCookie {
  readonly provider: string;
  readonly state: string;
  /** Path prefix of the server. */
  readonly base: string;
}

/** Sets the cookie of a started login, or deletes it for an empty value; its path limits it to the callback. */
const setStateCookie = (
  { provider, state, base }: StateCookie,
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

/** Returns the cookie name of one login, so that several can run at once. */
const cookieOf = (provider: string, state: string): string => `svc_sign_on_${provider}_${state.slice(0, 8)}`;

const redirectTo = (url: string, { setHeader }: OperationContext): void => {
  setHeader('location', url);
  setHeader('referrer-policy', 'no-referrer');
};

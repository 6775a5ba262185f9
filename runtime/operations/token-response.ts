/** Returns tokens in the response body or in cookies, depending on the mode, and prevents caching. */
import { sessionCookie } from '../access/credentials.js';
import type { Given, Mode } from '../auth/login.js';
import type { OperationContext } from './context.js';

export const cookieOf: Readonly<Record<Exclude<Mode, 'json'>, string>> = {
  cookie: 'svc_refresh_token',
  session: sessionCookie,
};

/** Prevents caching of responses that contain tokens or secrets. */
export const keepFromCaches = ({ setHeader }: Pick<OperationContext, 'setHeader'>): void =>
  setHeader('cache-control', 'no-store');

/** Tokens go where the mode says. */
export const hand = ({ access, refresh, expires, lasts }: Given, mode: Mode, context: OperationContext) => {
  keepFromCaches(context);
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
  /** Lifetime of the cookie in milliseconds; 0 deletes it. */
  readonly lasts: number;
  readonly context: OperationContext;
}

export const setCookie = (
  mode: Exclude<Mode, 'json'>,
  value: string,
  { lasts, context }: CookieOptions,
): void =>
  context.setCookie(cookieOf[mode], value, {
    httpOnly: true,
    secure: context.client.secure,
    sameSite: 'lax',
    path: '/',
    maxAge: Math.floor(lasts / 1000),
  });

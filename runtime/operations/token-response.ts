/** Returns tokens in the response body or in cookies, depending on the mode, and prevents caching. */
import { sessionCookie, type SameSite } from '../access/credentials.js';
import type { IssuedTokens, Mode } from '../auth/login.js';
import type { OperationContext } from './context.js';

export const cookieOf: Readonly<Record<Exclude<Mode, 'json'>, string>> = {
  cookie: 'svc_refresh_token',
  session: sessionCookie,
};

/** Prevents caching of responses that contain tokens or secrets. */
export const preventCaching = ({ setHeader }: Pick<OperationContext, 'setHeader'>): void =>
  setHeader('cache-control', 'no-store');

/** Returns the body of a login or refresh and sets its cookies, according to the mode. */
export const respondWithTokens = (
  { access, refresh, expires, sessionTtl }: IssuedTokens,
  mode: Mode,
  { context, sameSite }: Omit<CookieOptions, 'ttl'>,
) => {
  preventCaching(context);
  const options = { ttl: sessionTtl, context, sameSite };
  if (mode === 'session') setCookie(mode, access, options);
  if (mode === 'cookie') setCookie(mode, refresh ?? '', options);
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
  readonly ttl: number;
  readonly context: OperationContext;
  readonly sameSite: SameSite;
}

/** Sets the cookie of a mode, out of reach of scripts, for `ttl` milliseconds. */
export const setCookie = (
  mode: Exclude<Mode, 'json'>,
  value: string,
  { ttl, context, sameSite }: CookieOptions,
): void =>
  context.setCookie(cookieOf[mode], value, {
    httpOnly: true,
    secure: context.client.secure,
    sameSite,
    path: '/',
    maxAge: Math.floor(ttl / 1000),
  });

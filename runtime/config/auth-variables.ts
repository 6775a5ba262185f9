/** Variables of tokens, sessions, single sign-on and mail. */
import { parseSecret } from './formats.js';
import {
  parseBoolean,
  parseDuration,
  parseList,
  parseText,
  parseUrls,
  parseInteger,
  type Variable,
} from './values.js';
import { providerVariables } from './provider-variables.js';

export const authVariables = {
  SECRET: {
    parse: parseSecret,
    default: null,
    shown: '.svc/secret',
    meaning: 'signs tokens; at least 32 bytes; `new,old` during a rotation',
    secret: true,
  },
  ACCESS_TOKEN_TTL: {
    parse: parseDuration,
    default: '15m',
    meaning: 'lifetime of access tokens',
  },
  REFRESH_TOKEN_TTL: {
    parse: parseDuration,
    default: '7d',
    meaning: 'lifetime of refresh tokens',
  },
  SESSION_COOKIE_TTL: {
    parse: parseDuration,
    default: '1d',
    meaning: 'lifetime of session cookies',
  },
  PASSWORD_RESET_TTL: {
    parse: parseDuration,
    default: '1d',
    meaning: 'lifetime of password reset links',
  },
  PASSWORD_RESET_URL_ALLOW_LIST: {
    parse: parseUrls,
    default: '',
    shown: 'none',
    meaning: 'comma-separated URLs allowed as `reset_url`, compared by origin and path',
  },
  USER_INVITE_TTL: {
    parse: parseDuration,
    default: '7d',
    meaning: 'lifetime of the links of invitations',
  },
  USER_INVITE_URL_ALLOW_LIST: {
    parse: parseUrls,
    default: '',
    shown: 'none',
    meaning: 'comma-separated URLs allowed as `invite_url`, compared by origin and path',
  },
  AUTH_DISABLE_DEFAULT: { parse: parseBoolean, default: 'false', meaning: 'disables login with a password' },
  AUTH_PROVIDERS: {
    parse: parseList,
    default: '',
    shown: 'none',
    meaning: 'comma-separated names of single sign-on providers, configured by `AUTH_<NAME>_…`',
  },
  ...providerVariables,
  EMAIL_FROM: { parse: parseText, default: 'no-reply@example.com', meaning: 'sender address of mails' },
  EMAIL_SMTP_HOST: {
    parse: parseText,
    default: null,
    shown: 'none',
    meaning: 'SMTP server; without it, no mail is sent',
  },
  EMAIL_SMTP_PORT: {
    parse: parseInteger(1, 65_535),
    default: null,
    shown: '587, or 465 with `EMAIL_SMTP_SECURE`',
    meaning: 'port of the SMTP server',
  },
  EMAIL_SMTP_USER: {
    parse: parseText,
    default: null,
    shown: 'none',
    meaning: 'user name at the SMTP server',
  },
  EMAIL_SMTP_PASSWORD: {
    parse: parseText,
    default: null,
    shown: 'none',
    meaning: 'password at the SMTP server',
    secret: true,
  },
  EMAIL_SMTP_SECURE: {
    parse: parseBoolean,
    default: 'false',
    meaning: 'uses TLS from the start; otherwise STARTTLS, if the server offers it',
  },
} as const satisfies Readonly<Record<string, Variable>>;

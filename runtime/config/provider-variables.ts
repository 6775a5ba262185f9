/** Variables of a single sign-on provider; `<NAME>` stands for its name in `AUTH_PROVIDERS`. */
import { parseEndpoint, parseMapping, parseRole } from './formats.js';
import { parseBoolean, parseOneOf, parseText, parseUrls, type Variable } from './values.js';

export const providerVariables = {
  'AUTH_<NAME>_DRIVER': {
    parse: parseOneOf(['openid', 'oauth2']),
    default: null,
    shown: '—',
    meaning: '`openid` (OpenID Connect) or `oauth2`',
  },
  'AUTH_<NAME>_CLIENT_ID': {
    parse: parseText,
    default: null,
    shown: '—',
    meaning: 'what the provider calls this server',
  },
  'AUTH_<NAME>_CLIENT_SECRET': {
    parse: parseText,
    default: null,
    shown: 'none',
    meaning: 'and the secret it gave',
    secret: true,
  },
  'AUTH_<NAME>_ISSUER_URL': {
    parse: parseEndpoint,
    default: null,
    shown: '—',
    meaning: '`openid`: the issuer, or its discovery document',
  },
  'AUTH_<NAME>_AUTHORIZE_URL': {
    parse: parseEndpoint,
    default: null,
    shown: '—',
    meaning: '`oauth2`: where people log in',
  },
  'AUTH_<NAME>_ACCESS_URL': {
    parse: parseEndpoint,
    default: null,
    shown: '—',
    meaning: '`oauth2`: where a code becomes a token',
  },
  'AUTH_<NAME>_PROFILE_URL': {
    parse: parseEndpoint,
    default: null,
    shown: '—',
    meaning: '`oauth2`: what says who the token belongs to',
  },
  'AUTH_<NAME>_SCOPE': {
    parse: parseText,
    default: null,
    shown: 'openid profile email',
    meaning: '`oauth2`: `email` by default',
  },
  'AUTH_<NAME>_IDENTIFIER_KEY': {
    parse: parseText,
    default: null,
    shown: 'sub',
    meaning: 'claim that is `external_identifier`; `oauth2`: `id` by default',
  },
  'AUTH_<NAME>_EMAIL_KEY': {
    parse: parseText,
    default: 'email',
    meaning: 'claim that is the e-mail address of new users',
  },
  'AUTH_<NAME>_ALLOW_PUBLIC_REGISTRATION': {
    parse: parseBoolean,
    default: 'false',
    meaning: 'whoever logs in there and has no user yet gets one',
  },
  'AUTH_<NAME>_DEFAULT_ROLE_ID': {
    parse: parseRole,
    default: null,
    shown: 'none',
    meaning: 'role of new users, and of whom no group fits',
  },
  'AUTH_<NAME>_GROUP_CLAIM_NAME': { parse: parseText, default: 'groups', meaning: 'claim that lists groups' },
  'AUTH_<NAME>_ROLE_MAPPING': {
    parse: parseMapping,
    default: null,
    shown: 'none',
    meaning: '`{"group": "id of a role"}`: set with every login, the first that fits, whole numbers first',
  },
  'AUTH_<NAME>_MODE': {
    parse: parseOneOf(['session', 'cookie', 'json']),
    default: 'session',
    meaning: 'what a login gives: `session`, `cookie` or `json`',
  },
  'AUTH_<NAME>_REDIRECT_ALLOW_LIST': {
    parse: parseUrls,
    default: '',
    shown: 'none',
    meaning: 'comma-separated URLs that `redirect` may be, compared by origin and path',
  },
  'AUTH_<NAME>_ICON': { parse: parseText, default: null, shown: 'none', meaning: 'shown by `GET /auth`' },
  'AUTH_<NAME>_LABEL': { parse: parseText, default: null, shown: 'none', meaning: 'shown by `GET /auth`' },
} as const satisfies Readonly<Record<string, Variable>>;

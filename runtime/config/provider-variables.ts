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
    meaning: 'client ID that the provider issued',
  },
  'AUTH_<NAME>_CLIENT_SECRET': {
    parse: parseText,
    default: null,
    shown: 'none',
    meaning: 'client secret that the provider issued',
    secret: true,
  },
  'AUTH_<NAME>_CLIENT_TOKEN_ENDPOINT_AUTH_METHOD': {
    parse: parseOneOf(['client_secret_post', 'client_secret_basic']),
    default: null,
    shown: 'as the provider says',
    meaning:
      '`client_secret_post` sends the secret in the body, `client_secret_basic` in the header; with `oauth2`, the default is the body',
  },
  'AUTH_<NAME>_ISSUER_URL': {
    parse: parseEndpoint,
    default: null,
    shown: '—',
    meaning: '`openid`: URL of the issuer or of its discovery document',
  },
  'AUTH_<NAME>_AUTHORIZE_URL': {
    parse: parseEndpoint,
    default: null,
    shown: '—',
    meaning: '`oauth2`: authorization endpoint',
  },
  'AUTH_<NAME>_ACCESS_URL': {
    parse: parseEndpoint,
    default: null,
    shown: '—',
    meaning: '`oauth2`: token endpoint',
  },
  'AUTH_<NAME>_PROFILE_URL': {
    parse: parseEndpoint,
    default: null,
    shown: '—',
    meaning: '`oauth2`: user info endpoint',
  },
  'AUTH_<NAME>_SCOPE': {
    parse: parseText,
    default: null,
    shown: 'openid profile email',
    meaning: 'requested scopes; with `oauth2`, the default is `email`',
  },
  'AUTH_<NAME>_IDENTIFIER_KEY': {
    parse: parseText,
    default: null,
    shown: 'sub',
    meaning: 'claim stored as `external_identifier`; with `oauth2`, the default is `id`',
  },
  'AUTH_<NAME>_EMAIL_KEY': {
    parse: parseText,
    default: 'email',
    meaning: 'claim with the e-mail address, for new users',
  },
  'AUTH_<NAME>_ALLOW_PUBLIC_REGISTRATION': {
    parse: parseBoolean,
    default: 'false',
    meaning: 'creates a user at the first login',
  },
  'AUTH_<NAME>_DEFAULT_ROLE_ID': {
    parse: parseRole,
    default: null,
    shown: 'none',
    meaning: 'role of new users, and of users whose groups are not mapped',
  },
  'AUTH_<NAME>_GROUP_CLAIM_NAME': {
    parse: parseText,
    default: 'groups',
    meaning: 'claim with the groups of the user',
  },
  'AUTH_<NAME>_ROLE_MAPPING': {
    parse: parseMapping,
    default: null,
    shown: 'none',
    meaning:
      '`{"group": "UUID of a role"}`, applied at every login; the first match wins, integer names come first',
  },
  'AUTH_<NAME>_MODE': {
    parse: parseOneOf(['session', 'cookie', 'json']),
    default: 'session',
    meaning: 'mode of the login: `session`, `cookie` or `json`',
  },
  'AUTH_<NAME>_REDIRECT_ALLOW_LIST': {
    parse: parseUrls,
    default: '',
    shown: 'none',
    meaning: 'comma-separated URLs allowed as `redirect`, compared by origin and path',
  },
  'AUTH_<NAME>_ICON': {
    parse: parseText,
    default: null,
    shown: 'none',
    meaning: 'icon in the response of `GET /auth`',
  },
  'AUTH_<NAME>_LABEL': {
    parse: parseText,
    default: null,
    shown: 'none',
    meaning: 'label in the response of `GET /auth`',
  },
} as const satisfies Readonly<Record<string, Variable>>;

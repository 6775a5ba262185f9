import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../runtime/config/config.js';
import type { ConfigError } from '../../runtime/config/environment.js';

const faultsOf = (environment: Record<string, string>): readonly string[] => {
  try {
    loadConfig(environment);
    return [];
  } catch (error) {
    return (error as ConfigError).faults;
  }
};

const [reader, writer] = ['00000000-0000-4000-8000-00000000000a', '00000000-0000-4000-8000-00000000000B'];

describe('configuration', () => {
  it('has defaults', () => {
    const config = loadConfig({});
    expect(config.database).toEqual({
      url: 'sqlite:.svc/data.db',
      isDefault: true,
      pipeline: true,
      poolMax: 10,
      statementTimeout: 30_000,
      wait: 30_000,
      ca: null,
      schema: 'public',
    });
    expect(config).toMatchObject({
      host: '127.0.0.1',
      port: 8080,
      publicUrl: null,
      adminPort: null,
      access: { lease: 200 },
      schemaWatch: 2_000,
      schemaApplyWait: 60_000,
      watchdog: 10_000,
      cors: null,
    });
    expect(config).toMatchObject({
      graphql: { introspection: true, tokenLimit: 5000 },
      payloadMax: 1_048_576,
      schemaMax: 52_428_800,
      importMax: 1_073_741_824,
      explorer: false,
      log: { level: 'info', style: 'json' },
    });
    expect(config.query).toEqual({
      limitDefault: 100,
      limitMax: -1,
      limitMaxPublic: 1000,
      relationalDepth: 10,
      rowsMax: 100_000,
      rowsMaxPublic: 10_000,
    });
    expect(config).toMatchObject({
      requestQueue: { max: 1000, wait: 5_000 },
      answerBytesMax: 256 * 1024 * 1024,
    });
  });

  it('reads every variable', () => {
    const config = loadConfig({
      DATABASE_URL: 'mysql://u:p@db:3306/shop',
      DATABASE_CA: '-----BEGIN CERTIFICATE-----',
      DATABASE_POOL_MAX: '4',
      DATABASE_PIPELINE: 'false',
      DATABASE_STATEMENT_TIMEOUT: '2m',
      DATABASE_WAIT: '0',
      TABLES_INCLUDE: 'shop_*, customers',
      TABLES_EXCLUDE: 'shop_old',
      HOST: '0.0.0.0',
      PORT: '0',
      TRUST_PROXY: '10.0.0.0/8, ::1',
      CORS_ORIGIN: 'https://Shop.example:443, http://localhost:*',
      CORS_CREDENTIALS: 'true',
      PUBLIC_URL: 'https://example.com/api/',
      ADMIN_PORT: '9000',
      ADMIN_HOST: '10.0.0.1',
      COOKIE_SAME_SITE: 'none',
      ACCESS_LEASE: '500ms',
      SCHEMA_APPLY_WAIT: '5s',
      SCHEMA_WATCH: 'off',
      WATCHDOG: '30s',
      SECRET: `${'a'.repeat(32)}, ${'b'.repeat(32)}`,
      ACCESS_TOKEN_TTL: '5m',
      REFRESH_TOKEN_TTL: '1d',
      SESSION_COOKIE_TTL: '1h',
      PASSWORD_RESET_TTL: '2h',
      USER_INVITE_TTL: '3d',
      USER_INVITE_URL_ALLOW_LIST: 'https://shop.example/welcome',
      PASSWORD_MIN_LENGTH: '12',
      STATIC_TOKENS: 'hashed',
      PASSWORD_RESET_URL_ALLOW_LIST: 'https://shop.example/reset',
      AUTH_DISABLE_DEFAULT: 'true',
      AUTH_PROVIDERS: 'acme, my-hub',
      AUTH_ACME_DRIVER: 'openid',
      AUTH_ACME_CLIENT_ID: 'svc',
      AUTH_ACME_CLIENT_SECRET: 'acme secret',
      AUTH_ACME_CLIENT_TOKEN_ENDPOINT_AUTH_METHOD: 'client_secret_basic',
      AUTH_ACME_ISSUER_URL: 'https://id.example',
      AUTH_ACME_ALLOW_PUBLIC_REGISTRATION: 'true',
      AUTH_ACME_DEFAULT_ROLE_ID: reader,
      AUTH_ACME_GROUP_CLAIM_NAME: 'teams',
      AUTH_ACME_ROLE_MAPPING: JSON.stringify({ editors: writer, 100: reader }),
      AUTH_ACME_MODE: 'cookie',
      AUTH_ACME_REDIRECT_ALLOW_LIST: 'https://shop.example/home',
      AUTH_ACME_ICON: 'key',
      AUTH_ACME_LABEL: 'Acme',
      AUTH_MY_HUB_DRIVER: 'oauth2',
      AUTH_MY_HUB_CLIENT_ID: 'hub',
      AUTH_MY_HUB_AUTHORIZE_URL: 'https://hub.example/login',
      AUTH_MY_HUB_ACCESS_URL: 'https://hub.example/token',
      AUTH_MY_HUB_PROFILE_URL: 'http://127.0.0.1:81/me',
      EMAIL_FROM: 'shop@example.com',
      EMAIL_SMTP_HOST: 'mail.example',
      EMAIL_SMTP_USER: 'shop',
      EMAIL_SMTP_PASSWORD: 'mail secret',
      EMAIL_SMTP_SECURE: 'true',
      RATE_LIMITER_ENABLED: 'true',
      RATE_LIMITER_POINTS: '7',
      RATE_LIMITER_DURATION: '1m',
      ADMIN_EMAIL: 'root@example.com',
      ADMIN_TOKEN: 'correct-horse',
      ADMIN_PASSWORD: 'battery staple',
      QUERY_LIMIT_DEFAULT: '50',
      QUERY_LIMIT_MAX: '500',
      QUERY_LIMIT_MAX_PUBLIC: '-1',
      QUERY_ROWS_MAX: '-1',
      QUERY_ROWS_MAX_PUBLIC: '9',
      ANSWER_BYTES_MAX: '1mb',
      REQUEST_QUEUE_MAX: '3',
      REQUEST_QUEUE_WAIT: '2s',
      MAX_RELATIONAL_DEPTH: '3',
      MAX_PAYLOAD_SIZE: '512kb',
      SCHEMA_MAX_SIZE: '2mb',
      GRAPHQL_INTROSPECTION: 'no',
      GRAPHQL_TOKEN_LIMIT: '2000',
      TEMPORAL_ADDRESS: 'temporal:7233',
      TEMPORAL_NAMESPACE: 'shop',
      TEMPORAL_UI_URL: 'https://temporal.example.com/',
      QUEUE_URL: 'https://queue.example.com',
      RUN_URL: 'https://run.example.com',
      QUEUE_RESULT_TTL: '1d',
      QUEUE_FILE_TTL: '2h',
      QUEUE_FILES_DIR: '/var/files',
      QUEUE_QUOTA_QUEUED: '500',
      QUEUE_QUOTA_STORED_BYTES: '1mb',
      WEBHOOK_ALLOW_CIDRS: '10.0.0.0/8, fd00::/8',
      WEBHOOK_ALLOW_HTTP: 'true',
      EXPLORER: 'true',
      LOG_LEVEL: 'debug',
      LOG_STYLE: 'pretty',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318/',
    });
    expect(config).toEqual({
      database: {
        url: 'mysql://u:p@db:3306/shop',
        isDefault: false,
        schema: 'public',
        poolMax: 4,
        statementTimeout: 120_000,
        pipeline: false,
        wait: 0,
        ca: '-----BEGIN CERTIFICATE-----',
      },
      tables: { include: ['shop_*', 'customers'], exclude: ['shop_old'] },
      host: '0.0.0.0',
      port: 0,
      trustProxy: { hops: 0, ranges: ['10.0.0.0/8', '::1'] },
      cors: { origins: ['https://shop.example', 'http://localhost:*'], credentials: true },
      publicUrl: 'https://example.com/api',
      adminPort: 9000,
      adminHost: '10.0.0.1',
      cookieSameSite: 'none',
      access: { lease: 500 },
      schemaWatch: 0,
      schemaApplyWait: 5_000,
      watchdog: 30_000,
      secret: ['a'.repeat(32), 'b'.repeat(32)],
      auth: {
        accessTtl: 300_000,
        refreshTtl: 86_400_000,
        sessionTtl: 3_600_000,
        resetTtl: 7_200_000,
        inviteTtl: 3 * 24 * 60 * 60_000,
        inviteUrls: ['https://shop.example/welcome'],
        passwordMinLength: 12,
        staticTokens: 'hashed',
        resetUrls: ['https://shop.example/reset'],
        disableDefault: true,
        providers: [
          {
            name: 'acme',
            driver: 'openid',
            clientId: 'svc',
            clientSecret: 'acme secret',
            clientAuth: 'client_secret_basic',
            issuerUrl: 'https://id.example',
            scope: 'openid profile email',
            identifierKey: 'sub',
            emailKey: 'email',
            allowRegistration: true,
            defaultRole: reader,
            groupsKey: 'teams',
            roleMapping: [
              ['100', reader],
              ['editors', writer],
            ],
            mode: 'cookie',
            redirects: ['https://shop.example/home'],
            icon: 'key',
            label: 'Acme',
          },
          {
            name: 'my-hub',
            driver: 'oauth2',
            clientId: 'hub',
            clientSecret: null,
            clientAuth: null,
            authorizeUrl: 'https://hub.example/login',
            accessUrl: 'https://hub.example/token',
            profileUrl: 'http://127.0.0.1:81/me',
            scope: 'email',
            identifierKey: 'id',
            emailKey: 'email',
            allowRegistration: false,
            defaultRole: null,
            groupsKey: 'groups',
            roleMapping: [],
            mode: 'session',
            redirects: [],
            icon: null,
            label: null,
          },
        ],
      },
      mail: {
        from: 'shop@example.com',
        smtp: { host: 'mail.example', port: 465, user: 'shop', password: 'mail secret', secure: true },
      },
      rateLimit: { points: 7, duration: 60_000 },
      admin: { email: 'root@example.com', token: 'correct-horse', password: 'battery staple' },
      query: {
        limitDefault: 50,
        limitMax: 500,
        limitMaxPublic: -1,
        relationalDepth: 3,
        rowsMax: -1,
        rowsMaxPublic: 9,
      },
      requestQueue: { max: 3, wait: 2_000 },
      answerBytesMax: 1024 * 1024,
      graphql: { introspection: false, tokenLimit: 2000 },
      queue: {
        url: 'https://queue.example.com',
        runUrl: 'https://run.example.com',
        resultTtl: 86_400_000,
        fileTtl: 7_200_000,
        filesDir: '/var/files',
        filesStore: null,
        drain: 600_000,
        quotas: {
          queued: 500,
          running: null,
          submitted_per_minute: null,
          stored_bytes: 1_048_576,
          log_bytes: null,
          files: null,
          redeliveries_per_hour: null,
        },
      },
      temporal: { address: 'temporal:7233', namespace: 'shop', ui: 'https://temporal.example.com' },
      webhooks: { allowCidrs: ['10.0.0.0/8', 'fd00::/8'], allowHttp: true },
      payloadMax: 524_288,
      schemaMax: 2_097_152,
      importMax: 1_073_741_824,
      explorer: true,
      log: { level: 'debug', style: 'pretty' },
      traces: 'http://collector:4318',
    });
  });

  it('reports missing variables of providers without secrets', () => {
    const faults = faultsOf({
      AUTH_PROVIDERS: 'acme, hub, default, ACME, a b',
      AUTH_ACME_DRIVER: 'openid',
      AUTH_ACME_CLIENT_ID: 'svc',
      AUTH_ACME_CLIENT_SECRET: 'hidden secret',
      AUTH_ACME_CLIENT_SECRET_FILE: '/run/secrets/acme',
      AUTH_ACME_ISSUER_URL: 'http://id.example',
      AUTH_ACME_ROLE_MAPPING: '["editors"]',
      AUTH_HUB_MODE: 'magic',
      AUTH_HUB_DEFAULT_ROLE_ID: 'Reader',
      AUTH_HUB_ROLE_MAPPING: '{"editors":"Writer"}',
    });
    expect(faults).toEqual([
      'AUTH_ACME_CLIENT_SECRET is set twice, also as AUTH_ACME_CLIENT_SECRET_FILE; keep one',
      'AUTH_ACME_ROLE_MAPPING is "["editors"]": expected JSON such as {"editors": "<UUID of a role>"}',
      'AUTH_ACME_ISSUER_URL is "http://id.example": expected https://…; http:// is allowed for localhost only',
      'AUTH_HUB_DRIVER is missing; expected openid or oauth2',
      'AUTH_HUB_CLIENT_ID is missing',
      'AUTH_HUB_DEFAULT_ROLE_ID is "Reader": expected the UUID of a role',
      'AUTH_HUB_ROLE_MAPPING is "{"editors":"Writer"}": expected JSON such as {"editors": "<UUID of a role>"}',
      'AUTH_HUB_MODE is "magic": expected one of session, cookie, json',
      'AUTH_HUB_ISSUER_URL is missing',
      'AUTH_PROVIDERS has "default"; expected distinct names of letters, digits, - and _',
      'AUTH_PROVIDERS has "ACME"; expected distinct names of letters, digits, - and _',
      'AUTH_PROVIDERS has "a b"; expected distinct names of letters, digits, - and _',
    ]);
  });

  it('refuses one port for both listeners, but for free ones and other addresses', () => {
    for (const hosts of [{}, { HOST: '0.0.0.0' }, { ADMIN_HOST: '::' }])
      expect(faultsOf({ PORT: '9000', ADMIN_PORT: '9000', ...hosts })).toEqual([
        'ADMIN_PORT is "9000", as PORT is; expected another port',
      ]);
    expect(faultsOf({ PORT: '0', ADMIN_PORT: '0' })).toEqual([]);
    expect(faultsOf({ PORT: '9000', ADMIN_PORT: '9000', ADMIN_HOST: '127.0.0.2' })).toEqual([]);
  });

  it.each([
    'true',
    'https://*.com',
    'https://*shop.example',
    'https://shop.*',
    'https://*',
    'https://shop*.de',
  ])('permits the origins "%s" without cookies', (origins) => {
    expect(faultsOf({ CORS_ORIGIN: origins })).toEqual([]);
    const list = origins === 'true' ? origins : `https://own.example, ${origins}`;
    expect(faultsOf({ CORS_ORIGIN: list, CORS_CREDENTIALS: 'true' })).toEqual([
      `CORS_CREDENTIALS is on, but CORS_ORIGIN has "${origins}", which would let third-party pages act as your users; list your own origins`,
    ]);
  });

  it.each([
    'shop.example',
    'https://shop.example/path',
    '*',
    'null',
    'https://a.*.*',
    'https://',
    'https://a:b',
  ])('rejects "%s" as an origin', (origin) => {
    expect(faultsOf({ CORS_ORIGIN: `https://own.example, ${origin}` })).toEqual([
      expect.stringContaining(`has "${origin}"; expected off, true, or origins such as https://shop.example`),
    ]);
  });

  it('reports all faults at once with the expected values', () => {
    const faults = faultsOf({
      DATABASE_URL: 'oracle://u:hidden@h/d',
      DATABASE_WAIT: 'soon',
      PORT: '70000',
      PUBLIC_URL: 'example.com',
      ACCESS_LEASE: '6s',
      ADMIN_EMAIL: 'nobody',
      EXPLORER: 'maybe',
      MAX_PAYLOAD_SIZE: 'big',
      LOG_LEVEL: 'loud',
    });
    expect(faults).toEqual([
      'DATABASE_URL starts with "oracle:"; expected sqlite:PATH, mysql://… or postgres://user:password@host:port/database',
      'DATABASE_WAIT is "soon": expected a duration such as 500ms, 30s, 15m, 12h or 7d',
      'PORT is "70000": expected a whole number, from 0 to 65535',
      'PUBLIC_URL is "example.com": expected http://host[:port][/prefix] or https://…',
      'ACCESS_LEASE is "6s": expected at most 5s',
      'ADMIN_EMAIL is "nobody": expected an e-mail address',
      'MAX_PAYLOAD_SIZE is "big": expected a size such as 512kb or 1mb',
      'EXPLORER is "maybe": expected true or false',
      'LOG_LEVEL is "loud": expected one of trace, debug, info, warn, error, fatal, silent',
    ]);
  });

  it('never repeats a secret', () => {
    const faults = faultsOf({ DATABASE_URL: 'mysql://u:hidden@host/', ADMIN_TOKEN: 'hidden words' });
    expect(faults).toHaveLength(2);
    expect(faults.join()).not.toContain('hidden');
  });

  it('ignores empty variables', () => {
    expect(loadConfig({ PORT: '', ADMIN_TOKEN: '' })).toMatchObject({ port: 8080, admin: { token: null } });
  });

  it('is frozen', () => {
    const config = loadConfig({});
    expect(
      Object.isFrozen(config) && Object.isFrozen(config.database) && Object.isFrozen(config.tables),
    ).toBe(true);
  });
});

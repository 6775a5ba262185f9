/** Models made by hand, for tests of emitters: only what differs from a plain column has to be said. */
import type {
  Collection,
  ErrorEntry,
  Field,
  FieldType,
  ManyToOne,
  Model,
  OneToMany,
  Operation,
} from '../../generator/model/types.js';

const pascal = (name: string): string =>
  name
    .split(/[^\p{L}\p{N}]+/u)
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join('');

export const field = (name: string, type: FieldType, options: Partial<Field> = {}): Field => ({
  name,
  graphql: name,
  type,
  dbType: type,
  sqlType: null,
  nullable: false,
  required: false,
  hasDefault: false,
  defaultValue: null,
  defaultSql: null,
  primaryKey: false,
  autoIncrement: false,
  generated: false,
  readonly: false,
  length: null,
  precision: null,
  scale: null,
  bits: type === 'integer' ? 32 : null,
  unsigned: false,
  fraction: null,
  values: null,
  geometry: null,
  element: null,
  collation: null,
  conceal: false,
  hash: false,
  token: false,
  lowerCase: false,
  fill: null,
  validation: null,
  validationMessage: null,
  validationType: null,
  note: null,
  ...options,
});

/** A key that the database counts. */
export const counter = (name: string): Field =>
  field(name, 'integer', { primaryKey: true, autoIncrement: true, hasDefault: true });

const manyToOne = (name: string, target: string, targetField: string): ManyToOne => ({
  kind: 'manyToOne',
  name,
  graphql: name,
  property: `${name}Rel`,
  meta: false,
  target,
  fields: [name],
  targetFields: [targetField],
  constrained: true,
});

const oneToMany = (name: string, target: string, keys: { own: string; there: string }): OneToMany => ({
  kind: 'oneToMany',
  name,
  graphql: name,
  property: name,
  meta: false,
  target,
  fields: [keys.own],
  targetFields: [keys.there],
  junctionField: null,
  sortField: null,
  deselect: 'nullify',
  written: true,
});

export const collection = (
  name: string,
  fields: readonly Field[],
  options: Partial<Collection> = {},
): Collection => ({
  name,
  kind: 'table',
  system: false,
  path: `/items/${encodeURIComponent(name)}`,
  readonly: false,
  access: false,
  activity: null,
  note: null,
  singleton: false,
  triggers: false,
  sortField: null,
  key: fields.filter((each) => each.primaryKey).map((each) => each.name),
  fields,
  relations: [],
  uniques: [],
  names: { file: name.toLowerCase(), type: pascal(name), variable: name, graphql: name },
  hash: '',
  ...options,
});

const errors: readonly ErrorEntry[] = [
  ['INVALID_PAYLOAD', 400, 'Invalid payload', { reason: 'What is wrong with the payload' }],
  ['INVALID_QUERY', 400, 'Invalid query', { reason: 'What is wrong with the query' }],
  ['INVALID_CREDENTIALS', 401, 'Invalid credentials', {}],
  ['FORBIDDEN', 403, 'You have no permission for this, or it does not exist', { reason: 'What is missing' }],
  ['ROUTE_NOT_FOUND', 404, 'The route does not exist', { path: 'The path that was asked for' }],
  ['CONTENT_TOO_LARGE', 413, 'The request body is too large', { limit: 'Bytes that are accepted' }],
  ['UNSUPPORTED_MEDIA_TYPE', 415, 'Unsupported media type', { mediaType: 'What was sent' }],
  ['INTERNAL_SERVER_ERROR', 500, 'An unexpected error occurred', {}],
  ['SERVICE_UNAVAILABLE', 503, 'A service is not available', { service: 'Which one' }],
].map(
  ([code, status, message, details]) => ({ code, status, message, details, family: 'any' }) as ErrorEntry,
);

const ping: Operation = {
  id: 'serverPing',
  summary: 'Say that the server is there',
  tag: 'Server',
  method: 'get',
  path: '/server/ping',
  access: 'public',
  withoutSession: false,
  beforeSecondFactor: false,
  startsLogin: false,
  withoutAdmission: false,
  acceptsKey: false,
  upload: false,
  file: null,
  own: true,
  served: true,
  graphql: { query: 'server_ping' },
  parameters: [],
  body: null,
  responses: [
    {
      status: 200,
      description: 'The server is there',
      contentType: 'text/plain',
      schema: { type: 'string', const: 'pong' },
    },
  ],
  errors: ['INVALID_CREDENTIALS'],
};

export const model = (collections: readonly Collection[], options: Partial<Model> = {}): Model => ({
  systemTables: [],
  forPackage: true,
  api: { title: 'Test API', version: '1.0.0', description: 'Collections of a test.' },
  keysBeforeInsert: false,
  catalog: {
    vendor: 'sqlite',
    dialect: 'sqlite',
    tables: [],
    meta: { collections: [], fields: [], relations: [] },
  },
  collections: [...collections].sort((a, b) => (a.name < b.name ? -1 : 1)),
  operations: [ping],
  operationTypes: [],
  queueModels: [],
  errors,
  ...options,
});

/** Artists, their albums, and the collection of users. */
export const albums = (): Model =>
  model([
    collection('Artist', [counter('ArtistId'), field('Name', 'string', { length: 120, nullable: true })], {
      relations: [oneToMany('albums', 'Album', { own: 'ArtistId', there: 'ArtistId' })],
      note: 'Who makes <albums>',
    }),
    collection(
      'Album',
      [
        counter('AlbumId'),
        field('Title', 'string', { length: 160, required: true, note: 'As on the cover' }),
        field('ArtistId', 'integer', { required: true }),
        field('Price', 'decimal', { precision: 10, scale: 2, hasDefault: true, defaultValue: '0.00' }),
        field('Released', 'date', { nullable: true }),
      ],
      { relations: [manyToOne('ArtistId', 'Artist', 'ArtistId')] },
    ),
    collection(
      'svc_users',
      [
        field('id', 'uuid', { primaryKey: true, hasDefault: true, fill: 'uuid' }),
        field('email', 'string', { length: 128, nullable: true }),
        field('token', 'string', { length: 255, nullable: true, conceal: true }),
        field('status', 'string', { length: 16, hasDefault: true, defaultValue: 'active', readonly: true }),
        field('date_created', 'timestamp', { nullable: true, fraction: 0, fill: 'date-created' }),
      ],
      {
        system: true,
        path: '/users',
        names: { file: 'svc-users', type: 'SvcUsers', variable: 'svcUsers', graphql: 'svc_users' },
      },
    ),
  ]);

/** Every field type, nullable and not, every kind of collection. */
export const kinds = (): Model =>
  model([
    collection('everything', [
      field('id', 'bigInteger', {
        primaryKey: true,
        autoIncrement: true,
        hasDefault: true,
        bits: 64,
        unsigned: true,
      }),
      ...everyType.flatMap((type) => [
        field(type, type, { required: true, ...typeOptions[type] }),
        field(`${type}_or_null`, type, { nullable: true, ...typeOptions[type] }),
      ]),
      field('small', 'integer', { bits: 8, unsigned: true, hasDefault: true, defaultValue: 3 }),
      field('choice', 'string', {
        nullable: true,
        values: ['one', 'two'],
        defaultValue: 'two',
        hasDefault: true,
      }),
      field('day', 'date', { hasDefault: true, defaultValue: '0000-00-00' }),
      field('computed', 'integer', { nullable: true, generated: true }),
      field('password', 'string', { length: 255, nullable: true, hash: true }),
    ]),
    collection('pairs', [
      field('left', 'integer', { primaryKey: true, required: true }),
      field('right', 'string', { primaryKey: true, required: true, length: 10 }),
      field('weight', 'float', { nullable: true }),
    ]),
    collection('settings', [counter('id'), field('title', 'text', { nullable: true })], { singleton: true }),
    collection('sums', [field('count', 'integer'), field('label', 'string', { nullable: true })], {
      kind: 'view',
    }),
    collection('log', [field('line', 'text', { nullable: true })]),
    collection('hidden', [counter('id')], { path: null }),
  ]);

export const everyType: readonly FieldType[] = [
  'string',
  'text',
  'integer',
  'bigInteger',
  'float',
  'decimal',
  'boolean',
  'date',
  'time',
  'dateTime',
  'timestamp',
  'uuid',
  'json',
  'csv',
  'binary',
  'unknown',
];

const typeOptions: Partial<Record<FieldType, Partial<Field>>> = {
  string: { length: 20 },
  decimal: { precision: 8, scale: 3 },
  time: { fraction: 0 },
  dateTime: { fraction: 3 },
  timestamp: { fraction: 6 },
  binary: { length: 16 },
};

/** Names that are legal in a database and special elsewhere. */
export const oddNames = [
  'order',
  'constructor',
  'a~b.c-d',
  'two words',
  'a/b',
  'quo"te`s',
  'Größe',
  '用户',
  '__proto__',
  '50%',
  'x{y}?#',
];

/** A collection of each name, with a column of each name. */
export const named = (names: readonly string[]): Model =>
  model([
    ...names.map((name) =>
      collection(name, [counter('id'), ...names.map((each) => field(each, 'string', { nullable: true }))], {
        relations: [
          manyToOne('order', 'order', 'id'),
          oneToMany('valueOf', 'constructor', { own: 'id', there: 'order' }),
        ],
        note: `Called "${name}" <script>alert(1)</script>`,
      }),
    ),
    collection('User', [counter('id')]),
    collection('UserCreate', [counter('id')]),
    collection('ManyUser', [counter('id')]),
    collection('StringOperators', [counter('id')]),
  ]);

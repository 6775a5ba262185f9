/** Whatever a client sends, the mistake is the client's: never a 5xx, never a word about the inside. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { useServer } from '../harness/use-server.js';
import { settings, type TestAccess, type TestServer } from '../server-harness.js';
import { libraryMeta, librarySql } from './library.js';

const access: TestAccess = {
  policies: {
    Some: [
      {
        collection: 'book',
        action: 'read',
        fields: ['id', 'title', 'author', 'shelves'],
        permissions: { author: { name: { _contains: 'Few' } } },
      },
      {
        collection: 'author',
        action: 'read',
        fields: ['id', 'name', 'books'],
        permissions: { country: { _nnull: true } },
      },
      {
        collection: 'book',
        action: 'update',
        fields: ['title', 'stock'],
        permissions: { lent: { _eq: false } },
      },
      {
        collection: 'book',
        action: 'create',
        fields: ['title', 'stock'],
        presets: { note: 'x' },
        validation: { stock: { _gt: 0 } },
      },
    ],
  },
  users: { some: { policies: ['Some'] } },
};

const collections = [
  'book',
  'author',
  'shelf',
  'book_shelf',
  'review',
  'country',
  'svc_users',
  'nothing',
  '__proto__',
];
const names = [
  'id',
  'title',
  'author',
  'books',
  'shelves',
  'shelf',
  'review',
  'country',
  'code',
  'name',
  'year',
  'price',
  'stock',
  'lent',
  'born',
  'secret',
  'position',
  'constructor',
  '*',
  '',
  'year(born)',
];
const operators = [
  '_eq',
  '_neq',
  '_lt',
  '_gte',
  '_in',
  '_nin',
  '_between',
  '_nbetween',
  '_null',
  '_nempty',
  '_contains',
  '_icontains',
  '_nstarts_with',
  '_iends_with',
  '_regex',
  '_some',
  '_none',
  '_and',
  '_or',
  '_odd',
];
const oddTexts = [
  '',
  '0',
  '-1',
  '1.5',
  '1e400',
  'null',
  'true',
  '%',
  "'; drop table book; --",
  '\\',
  '"',
  '\u0000',
  '2024-02-30',
  '9'.repeat(40),
  '$CURRENT_USER',
  '$NOW(-1 day)',
  '$NOW(',
  'ä'.repeat(300),
];

const text = fc.oneof(
  fc.constantFrom(...oddTexts),
  fc.string({ maxLength: 12 }),
  fc.string({ unit: 'binary', maxLength: 6 }),
);
const name = fc.oneof({ weight: 8, arbitrary: fc.constantFrom(...names) }, { weight: 1, arbitrary: text });
const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('.'));
const scalar = fc.oneof(text, fc.integer(), fc.double(), fc.boolean(), fc.constant(null));
const value = fc.oneof(
  scalar,
  fc.array(scalar, { maxLength: 3 }),
  fc.dictionary(name, scalar, { maxKeys: 2 }),
);

const { filter } = fc.letrec((tie) => ({
  filter: fc.dictionary(
    fc.oneof({ weight: 3, arbitrary: name }, { weight: 2, arbitrary: fc.constantFrom(...operators) }),
    fc.oneof({ depthSize: 'small' }, value, tie('filter'), fc.array(tie('filter'), { maxLength: 2 })),
    { maxKeys: 2 },
  ),
}));

const parameters = fc.record(
  {
    fields: fc.oneof(fc.array(path, { maxLength: 4 }), path, scalar),
    filter: fc.oneof(filter, value),
    sort: fc.oneof(
      fc.array(path, { maxLength: 3 }),
      path.map((each) => `-${each}`),
      scalar,
    ),
    limit: fc.oneof(fc.integer({ min: -3, max: 50 }), scalar),
    offset: fc.oneof(fc.nat(20), scalar),
    page: fc.oneof(fc.nat(5), scalar),
    search: scalar,
    meta: fc.oneof(fc.constantFrom('*', 'total_count', 'filter_count'), scalar),
    deep: fc.oneof(
      fc.dictionary(name, fc.record({ _limit: scalar, _sort: path, _filter: filter }, { requiredKeys: [] }), {
        maxKeys: 2,
      }),
      value,
    ),
    access_token: fc.constantFrom('', 'x'),
    aggregate: value,
  },
  { requiredKeys: [] },
);

const toQuery = (query: Readonly<Record<string, unknown>>): string =>
  Object.entries(query)
    .map(
      ([key, each]) =>
        `${key}=${encodeURIComponent(typeof each === 'string' ? each : (JSON.stringify(each) ?? ''))}`,
    )
    .join('&');

const collection = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('book', 'author') },
  { weight: 1, arbitrary: fc.constantFrom(...collections) },
);
const key = fc
  .oneof(fc.constantFrom('1', '201', '201,1', 'de', '0', '1.0', '1e3'), text)
  .map(encodeURIComponent);
const as = fc.constantFrom('admin', 'some', null);

const row = fc.dictionary(name, value, { maxKeys: 4 });
const body = fc.oneof(
  row,
  fc.array(row, { maxLength: 3 }),
  fc.record(
    { keys: fc.oneof(fc.array(scalar, { maxLength: 3 }), scalar), data: fc.oneof(row, value) },
    { requiredKeys: [] },
  ),
  fc.record({ query: fc.oneof(parameters, value), data: row }, { requiredKeys: [] }),
  value,
);

/** What there is, for requests that make sense up to their values. */
interface Shape {
  readonly columns: Readonly<Record<string, fc.Arbitrary<unknown>>>;
  readonly relations: Readonly<Record<string, string>>;
}

const words = fc.oneof(fc.constantFrom('Few', 'Words', 'A-1', 'de', 'north', 'a%_', '\\'), text);
const wholes = fc.oneof(
  fc.integer({ min: -5, max: 210 }),
  fc.constantFrom('201', -2_147_483_649, 1.5, '1e2'),
);
const dates = fc.constantFrom(
  '1950-05-05',
  '1950-05-05T10:00:00+02:00',
  '0000-00-00',
  '9999-12-31',
  '$NOW',
  '$NOW(-100 years)',
);

const shapes: Readonly<Record<string, Shape>> = {
  book: {
    columns: {
      id: wholes,
      title: words,
      isbn: words,
      author: wholes,
      year: wholes,
      price: fc.oneof(wholes, fc.constantFrom('5.50', '-0', '1e5', '99999999.999')),
      stock: wholes,
      lent: fc.oneof(fc.boolean(), fc.constantFrom(0, '1', 'yes')),
      note: words,
    },
    relations: { author: 'author', shelves: 'book_shelf', review: 'review' },
  },
  author: {
    columns: { id: wholes, name: words, born: dates, country: words, secret: words },
    relations: { country: 'country', books: 'book' },
  },
  country: { columns: { code: words, name: words }, relations: { author: 'author' } },
  shelf: { columns: { id: wholes, room: words, number: wholes }, relations: { books: 'book_shelf' } },
  book_shelf: {
    columns: { book: wholes, shelf: wholes, position: wholes },
    relations: { book: 'book', shelf: 'shelf' },
  },
  review: { columns: { id: wholes, book: wholes, stars: wholes, words }, relations: { book: 'book' } },
};

const shapeOf = (collection: string): Shape => shapes[collection] ?? { columns: {}, relations: {} };

const pathsOf = (collection: string, depth: number): readonly string[] => {
  const { columns, relations } = shapeOf(collection);
  const below = Object.entries(relations).flatMap(([name, target]) =>
    depth === 0 ? [] : pathsOf(target, depth - 1).map((rest) => `${name}.${rest}`),
  );
  return [...Object.keys(columns), ...Object.keys(relations), '*', ...below];
};

const comparison = (operand: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc
    .oneof(
      fc.tuple(
        fc.constantFrom(
          '_eq',
          '_neq',
          '_lt',
          '_lte',
          '_gt',
          '_gte',
          '_contains',
          '_icontains',
          '_nstarts_with',
          '_iends_with',
        ),
        operand,
      ),
      fc.tuple(fc.constantFrom('_in', '_nin'), fc.array(operand, { minLength: 1, maxLength: 9 })),
      fc.tuple(fc.constantFrom('_between', '_nbetween'), fc.tuple(operand, operand)),
      fc.tuple(fc.constantFrom('_null', '_nnull', '_empty', '_nempty'), fc.boolean()),
    )
    .map(([operator, each]) => ({ [operator]: each }));

const soundFilter = (collection: string, depth: number): fc.Arbitrary<unknown> => {
  const { columns, relations } = shapeOf(collection);
  const plain = Object.entries(columns).map(([name, operand]) =>
    comparison(operand).map((each) => ({ [name]: each })),
  );
  if (depth === 0) return fc.oneof(...plain);
  const related = Object.entries(relations).flatMap(([name, target]) => {
    const inner = soundFilter(target, depth - 1);
    return [
      inner.map((each) => ({ [name]: each })),
      fc
        .tuple(fc.constantFrom('_some', '_none'), inner)
        .map(([key_, each]) => ({ [name]: { [key_]: each } })),
    ];
  });
  const joined = fc
    .tuple(fc.constantFrom('_and', '_or'), fc.array(soundFilter(collection, depth - 1), { maxLength: 3 }))
    .map(([logic, parts]) => ({ [logic]: parts }));
  return fc.oneof(...plain, ...related, joined);
};

const soundQuery = (collection: string): fc.Arbitrary<Readonly<Record<string, unknown>>> =>
  fc.record(
    {
      fields: fc.array(fc.constantFrom(...pathsOf(collection, 3)), { maxLength: 5 }),
      filter: soundFilter(collection, 2),
      sort: fc.array(fc.constantFrom(...pathsOf(collection, 1).filter((each) => !each.includes('*'))), {
        maxLength: 3,
      }),
      limit: fc.integer({ min: -1, max: 20 }),
      page: fc.nat(4),
      search: words,
      meta: fc.constant('*'),
      deep: fc.dictionary(
        fc.constantFrom(...Object.keys(shapeOf(collection).relations)),
        fc.record(
          { _limit: fc.integer({ min: -1, max: 5 }), _page: fc.nat(2), _search: words },
          { requiredKeys: [] },
        ),
        { maxKeys: 2 },
      ),
    },
    { requiredKeys: [] },
  );

const soundRow = (collection: string): fc.Arbitrary<Readonly<Record<string, unknown>>> => {
  const entries = Object.entries(shapeOf(collection).columns).map(([name, each]) => [
    name,
    fc.oneof({ weight: 5, arbitrary: each }, { weight: 1, arbitrary: fc.constant(null) }),
  ]);
  return fc.record(Object.fromEntries(entries) as Record<string, fc.Arbitrary<unknown>>, {
    requiredKeys: [],
  });
};

const soundCollection = fc.constantFrom(...Object.keys(shapes));

/** Of statements, drivers, stacks and places. */
const inside =
  /\bselect .+ from\b|insert into|sqlite|mariadb|mysql|libsql|ER_[A-Z]|errno|node_modules|\/work\/|file:\/\/|\.ts:\d|\bat \w+[ .(]/i;

const judge = async (
  server: TestServer,
  method: string,
  target: string,
  options: { as: string | null; body?: unknown; raw?: string },
): Promise<void> => {
  const {
    status,
    text: answer,
    errors,
  } = await server.request(method, target, {
    ...(options.as !== null && { as: options.as }),
    ...(options.body !== undefined && { body: options.body }),
    ...(options.raw !== undefined && { raw: options.raw, headers: { 'content-type': 'application/json' } }),
  });
  expect(status, answer).toBeLessThan(500);
  if (status >= 400) {
    expect(errors.length, answer).toBeGreaterThan(0);
    expect(withoutEcho(answer)).not.toMatch(inside);
  }
};

/** Messages may repeat what was sent. */
const withoutEcho = (answer: string): string =>
  answer
    .replaceAll(/\\"(?:[^"\\]|\\[^"])*\\"/g, '')
    .replaceAll(/"(?:value|invalid)":("(?:[^"\\]|\\.)*"|[^,}]*)/g, '');

const run = { numRuns: 300, seed: 20_260_801, endOnFailure: true } as const;

describe.each(settings)('random requests on $dialect through $door', (setting) => {
  const server = useServer({ ...setting, sql: librarySql(setting.dialect), meta: libraryMeta, access });

  it('reads of any kind are answered or refused', { timeout: 60_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(
        collection,
        fc.option(key, { freq: 4 }),
        parameters,
        as,
        async (table, id, query, user) => {
          const target = `/items/${encodeURIComponent(table)}${id === null ? '' : `/${id}`}?${toQuery(query)}`;
          await judge(server(), 'GET', target, { as: user });
          if (id === null)
            await judge(server(), 'SEARCH', `/items/${encodeURIComponent(table)}`, {
              as: user,
              body: { query },
            });
        },
      ),
      run,
    );
  });

  it('reads that make sense up to their values are answered or refused', { timeout: 60_000 }, async () => {
    const request = soundCollection.chain((table) => fc.tuple(fc.constant(table), soundQuery(table)));
    await fc.assert(
      fc.asyncProperty(request, as, async ([table, query], user) => {
        await judge(server(), 'SEARCH', `/items/${table}`, { as: user, body: { query } });
      }),
      run,
    );
    const answered = server().observations.filter(
      (each) => each.kind === 'requestFinished' && each.status === 200,
    );
    expect(answered.length).toBeGreaterThan(50);
  });

  it('writes that make sense up to their values are done or refused', { timeout: 60_000 }, async () => {
    const request = soundCollection.chain((table) =>
      fc.tuple(
        fc.constant(table),
        fc.oneof(
          fc.tuple(
            fc.constant('POST'),
            fc.constant(''),
            fc.oneof(soundRow(table), fc.array(soundRow(table), { maxLength: 4 })),
          ),
          fc.tuple(fc.constant('PATCH'), fc.constantFrom('/201', '/1', '/de', '/201,1'), soundRow(table)),
          fc.tuple(
            fc.constant('PATCH'),
            fc.constant(''),
            fc.record({ query: soundQuery(table), data: soundRow(table) }),
          ),
          fc.tuple(fc.constant('DELETE'), fc.constantFrom('/202', '/3'), fc.constant(undefined)),
        ),
      ),
    );
    await fc.assert(
      fc.asyncProperty(request, as, async ([table, [verb, id, payload]], user) => {
        await judge(server(), verb, `/items/${table}${id}`, { as: user, body: payload });
      }),
      run,
    );
    const written = server().observations.filter(
      (each) => each.kind === 'requestFinished' && each.method !== 'SEARCH' && each.status === 200,
    );
    expect(written.length).toBeGreaterThan(20);
  });

  it('query strings of any kind are answered or refused', { timeout: 60_000 }, async () => {
    const piece = fc.oneof(
      fc.constantFrom(
        'filter',
        'deep',
        'fields',
        '[',
        ']',
        '=',
        '&',
        '[]',
        '[_or]',
        '[0]',
        '%',
        '%zz',
        '+',
        '_eq',
        'title',
        'author',
        '{',
        '}',
        '"',
      ),
      text,
    );
    const query = fc.array(piece, { maxLength: 14 }).map((parts) => parts.join(''));
    await fc.assert(
      fc.asyncProperty(query, as, async (each, user) => {
        await judge(server(), 'GET', `/items/book?${each.replaceAll('#', '')}`, { as: user });
      }),
      run,
    );
  });

  it('writes of any kind are done or refused', { timeout: 60_000 }, async () => {
    const method = fc.constantFrom('POST', 'PATCH', 'DELETE', 'PUT', 'SEARCH');
    await fc.assert(
      fc.asyncProperty(
        method,
        collection,
        fc.option(key),
        body,
        as,
        async (verb, table, id, payload, user) => {
          await judge(server(), verb, `/items/${encodeURIComponent(table)}${id === null ? '' : `/${id}`}`, {
            as: user,
            body: payload,
          });
        },
      ),
      run,
    );
  });

  it('bodies that are not JSON are refused', { timeout: 60_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom('POST', 'PATCH', 'DELETE', 'SEARCH'), text, async (verb, raw) => {
        await judge(server(), verb, '/items/book', { as: 'admin', raw });
      }),
      run,
    );
  });

  it('system collections take random writes as well', { timeout: 60_000 }, async () => {
    const table = fc.constantFrom('roles', 'policies', 'permissions', 'access');
    const columns = fc.constantFrom(
      'id',
      'name',
      'policy',
      'role',
      'user',
      'collection',
      'action',
      'fields',
      'permissions',
      'parent',
      'sort',
    );
    await fc.assert(
      fc.asyncProperty(
        table,
        fc.dictionary(columns, value, { maxKeys: 4 }),
        as,
        async (path, payload, user) => {
          await judge(server(), 'POST', `/${path}`, { as: user, body: payload });
          await judge(server(), 'GET', `/${path}?limit=2&fields=*.*`, { as: user });
        },
      ),
      { ...run, numRuns: 150 },
    );
  });

  it('nothing of it was a failure of ours', () => {
    expect(server().observations.filter(({ kind }) => kind === 'requestFailed')).toEqual([]);
  });
});

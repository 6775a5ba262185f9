/** Random requests: of any kind, and such as make sense up to their values. */
import * as fc from 'fast-check';

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
/** Words of one text. */
const split = (list: string): readonly string[] => list.split(' ');

const names = [
  ...split(
    'id title author books shelves shelf review country code name year price stock lent born secret position',
  ),
  ...split('constructor * year(born)'),
  '',
];
const operators = split(
  '_eq _neq _lt _gte _in _nin _between _nbetween _null _nempty _contains _icontains _nstarts_with _iends_with _regex' +
    ' _some _none _and _or _odd',
);
const oddTexts = [
  ...split('0 -1 1.5 1e400 null true % \\ " \u0000 2024-02-30 $CURRENT_USER $NOW('),
  "'; drop table book; --",
  '$NOW(-1 day)',
  '',
  '9'.repeat(40),
  'ä'.repeat(300),
];

export const text = fc.oneof(
  fc.constantFrom(...oddTexts),
  fc.string({ maxLength: 12 }),
  fc.string({ unit: 'binary', maxLength: 6 }),
);
const name = fc.oneof({ weight: 8, arbitrary: fc.constantFrom(...names) }, { weight: 1, arbitrary: text });
const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('.'));
const scalar = fc.oneof(text, fc.integer(), fc.double(), fc.boolean(), fc.constant(null));
export const value = fc.oneof(
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

const nested = fc.record({ _limit: scalar, _sort: path, _filter: filter }, { requiredKeys: [] });

/** Parameters of any kind. */
export const parameters = fc.record(
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
    deep: fc.oneof(fc.dictionary(name, nested, { maxKeys: 2 }), value),
    access_token: fc.constantFrom('', 'x'),
    aggregate: value,
  },
  { requiredKeys: [] },
);

export const toQueryString = (query: Readonly<Record<string, unknown>>): string =>
  Object.entries(query)
    .map(
      ([key, each]) => `${key}=${encodeURIComponent(typeof each === 'string' ? each : JSON.stringify(each))}`,
    )
    .join('&');

/** Query strings of any kind. */
export const queryString = fc
  .array(
    fc.oneof(
      fc.constantFrom(...split('filter deep fields [ ] = & [] [_or] [0] % %zz + _eq title author { } "')),
      text,
    ),
    { maxLength: 14 },
  )
  .map((parts) => parts.join('').replaceAll('#', ''));

export const collection = fc
  .oneof(
    { weight: 6, arbitrary: fc.constantFrom('book', 'author') },
    { weight: 1, arbitrary: fc.constantFrom(...collections) },
  )
  .map(encodeURIComponent);

export const key = fc
  .oneof(fc.constantFrom('1', '201', '201,1', 'de', '0', '1.0', '1e3'), text)
  .map(encodeURIComponent);

const row = fc.dictionary(name, value, { maxKeys: 4 });

/** Bodies of any kind. */
export const body = fc.oneof(
  row,
  fc.array(row, { maxLength: 3 }),
  fc.record(
    { keys: fc.oneof(fc.array(scalar, { maxLength: 3 }), scalar), data: fc.oneof(row, value) },
    { requiredKeys: [] },
  ),
  fc.record({ query: fc.oneof(parameters, value), data: row }, { requiredKeys: [] }),
  value,
);

const mostly = (sound: fc.Arbitrary<unknown>, odd: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 9, arbitrary: sound }, { weight: 1, arbitrary: odd });

const words = mostly(fc.constantFrom('Few', 'Words', 'A-1', 'de', 'pl', 'a%_'), text);
const wholes = mostly(fc.integer({ min: 0, max: 210 }), fc.constantFrom('201', -2_147_483_649, 1.5, '1e2'));
const prices = mostly(wholes, fc.constantFrom('5.50', '-0', '1e5', '99999999.999'));
const switches = mostly(fc.boolean(), fc.constantFrom(0, '1', 'yes'));
const dates = fc.constantFrom(
  '1950-05-05',
  '1950-05-05T10:00:00+02:00',
  '0000-00-00',
  '9999-12-31',
  '$NOW(-9 years)',
);

/** Existing names, for requests that are valid except for their values. */
interface Shape {
  readonly columns: Readonly<Record<string, fc.Arbitrary<unknown>>>;
  readonly relations: Readonly<Record<string, string>>;
  readonly key: readonly string[];
}

const bookColumns = { id: wholes, title: words, isbn: words, author: wholes, year: wholes, price: prices };

const shapes: Readonly<Record<string, Shape>> = {
  book: {
    columns: { ...bookColumns, stock: wholes, lent: switches, note: words },
    relations: { author: 'author', shelves: 'book_shelf', review: 'review' },
    key: ['id'],
  },
  author: {
    columns: { id: wholes, name: words, born: dates, country: words, secret: words },
    relations: { country: 'country', books: 'book' },
    key: ['id'],
  },
  country: { columns: { code: words, name: words }, relations: { author: 'author' }, key: ['code'] },
  shelf: {
    columns: { id: wholes, room: words, number: wholes },
    relations: { books: 'book_shelf' },
    key: ['id'],
  },
  book_shelf: {
    columns: { book: wholes, shelf: wholes, position: wholes },
    relations: { book: 'book', shelf: 'shelf' },
    key: ['book', 'shelf'],
  },
  review: {
    columns: { id: wholes, book: wholes, stars: wholes, words },
    relations: { book: 'book' },
    key: ['id'],
  },
};

const shapeOf = (table: string): Shape => shapes[table] ?? { columns: {}, relations: {}, key: [] };

const pathsOf = (table: string, depth: number): readonly string[] => {
  const { columns, relations } = shapeOf(table);
  const below = Object.entries(relations).flatMap(([relation, target]) =>
    depth === 0 ? [] : pathsOf(target, depth - 1).map((rest) => `${relation}.${rest}`),
  );
  return [...Object.keys(columns), ...Object.keys(relations), '*', ...below];
};

const matches = ['_contains', '_icontains', '_nstarts_with', '_iends_with', '_empty', '_nempty'];
const orders = ['_lt', '_lte', '_gt', '_gte', '_between', '_nbetween'];

/** An operator that suits the column, with an operand that mostly does. */
const comparison = (operand: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc
    .constantFrom('_eq', '_neq', '_in', '_nin', '_null', '_nnull', ...(operand === words ? matches : orders))
    .chain((operator) => operandOf(operator, operand).map((each) => ({ [operator]: each })));

const operandOf = (operator: string, operand: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> => {
  if (operator.endsWith('in')) return fc.array(operand, { minLength: 1, maxLength: 9 });
  if (operator.endsWith('between')) return fc.tuple(operand, operand);
  return /null|empty/.test(operator) ? fc.boolean() : operand;
};

const soundFilter = (table: string, depth: number): fc.Arbitrary<unknown> => {
  const { columns, relations } = shapeOf(table);
  const plain = Object.entries(columns).map(([column, operand]) =>
    comparison(operand).map((each) => ({ [column]: each })),
  );
  if (depth === 0) return fc.oneof(...plain);
  const related = Object.entries(relations).flatMap(([relation, target]) => {
    const inner = soundFilter(target, depth - 1);
    const quantified = fc.tuple(fc.constantFrom('_some', '_none'), inner);
    return [
      inner.map((each) => ({ [relation]: each })),
      quantified.map(([quantifier, each]) => ({ [relation]: { [quantifier]: each } })),
    ];
  });
  const joined = fc
    .tuple(fc.constantFrom('_and', '_or'), fc.array(soundFilter(table, depth - 1), { maxLength: 3 }))
    .map(([logic, parts]) => ({ [logic]: parts }));
  return fc.oneof(...plain, ...related, joined);
};

const soundQuery = (table: string): fc.Arbitrary<Readonly<Record<string, unknown>>> => {
  const { columns, relations } = shapeOf(table);
  const page = fc.record(
    { _limit: fc.integer({ min: -1, max: 5 }), _page: fc.nat(2), _search: words },
    { requiredKeys: [] },
  );
  return fc.record(
    {
      fields: fc.array(fc.constantFrom(...pathsOf(table, 3)), { maxLength: 5 }),
      filter: soundFilter(table, 2),
      sort: fc.array(fc.constantFrom(...Object.keys(columns)), { maxLength: 3 }),
      limit: fc.integer({ min: -1, max: 20 }),
      page: fc.nat(4),
      search: words,
      meta: fc.constant('*'),
      deep: fc.dictionary(fc.constantFrom(...Object.keys(relations)), page, { maxKeys: 2 }),
    },
    { requiredKeys: [] },
  );
};

/** A query that names the rows of a write. */
const soundSelection = (table: string): fc.Arbitrary<Readonly<Record<string, unknown>>> =>
  fc.record(
    {
      filter: soundFilter(table, 2),
      sort: fc.array(fc.constantFrom(...Object.keys(shapeOf(table).columns)), { maxLength: 3 }),
      limit: fc.integer({ min: -1, max: 20 }),
      page: fc.nat(4),
      search: words,
    },
    { requiredKeys: ['limit'] },
  );

const soundRow = (table: string, without: readonly string[] = []): fc.Arbitrary<unknown> => {
  const columns = Object.entries(shapeOf(table).columns)
    .filter(([column]) => !without.includes(column))
    .map(([column, each]) => [column, mostly(each, fc.constant(null))]);
  return fc.record(Object.fromEntries(columns) as Record<string, fc.Arbitrary<unknown>>, {
    requiredKeys: [],
  });
};

const soundTable = fc.constantFrom(...Object.keys(shapes));

/** A collection and a query for it. */
export const soundRead = soundTable.chain((table) => fc.tuple(fc.constant(table), soundQuery(table)));

/** Method, path and body. */
export const soundWrite = soundTable.chain((table) => {
  const entry = soundRow(table);
  const change = soundRow(table, shapeOf(table).key);
  const [list, bulk] = [
    fc.array(entry, { maxLength: 4 }),
    fc.record({ query: soundSelection(table), data: change }),
  ];
  const at = (keys: readonly string[]) => fc.constantFrom(...keys.map((each) => `/items/${table}${each}`));
  return fc.oneof(
    fc.tuple(fc.constant('POST'), at(['']), fc.oneof(entry, list)),
    fc.tuple(fc.constant('PATCH'), at(['/201', '/1', '/de', '/201,1']), change),
    fc.tuple(fc.constant('PATCH'), at(['']), bulk),
    fc.tuple(fc.constant('DELETE'), at(['/202', '/3']), fc.constant(undefined)),
  );
});

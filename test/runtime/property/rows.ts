/** The archive's rows: made up, always the same ones. Rows refer to earlier ones only. */
import * as fc from 'fast-check';
import type { FieldType } from '../../../contract/field-types.js';
import type { TestDialect } from '../../databases.js';
import { stored, uuidOf, words } from './values.js';

/** In wire form. */
export type Row = Readonly<Record<string, unknown>>;
/** By collection. */
export type Rows = ReadonlyMap<string, readonly Row[]>;

const counts = {
  place: 4,
  person: 12,
  letter: 40,
  topic: 14,
  letter_topic: 60,
  folder: 7,
  sheet: 45,
  pin: 50,
};

/** Spells references differently from their targets where the database compares without case. */
export const makeRows = (dialect: TestDialect): Rows => {
  const rows = makeEqualRows();
  return dialect === 'mariadb'
    ? new Map([...rows].map(([name, list]) => [name, list.map(spellDifferently)]))
    : rows;
};

const spellDifferently = (row: Row, index: number): Row =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) =>
      referring.has(name) && typeof value === 'string' && index % 3 > 0
        ? [name, value.toUpperCase()]
        : [name, value],
    ),
  );

const referring = new Set(['home', 'place', 'folder_place']);

const makeEqualRows = (): Rows => {
  const places = make(counts.place, place);
  const people = make(counts.person, person);
  const letters = make(counts.letter, letter);
  const topics = make(counts.topic, topic);
  const links = distinct(make(counts.letter_topic, letterTopic), ['letter', 'topic']);
  const folders = distinct(make(counts.folder, folder), ['place', 'day']);
  const sheets = make(counts.sheet, (index) => sheet(index, folders));
  return new Map([
    ['place', places],
    ['person', people],
    ['letter', letters],
    ['topic', topics],
    ['letter_topic', links],
    ['folder', folders],
    ['sheet', sheets],
    ['pin', make(counts.pin, pin)],
  ]);
};

/** One row per index, each from a seed of its own. */
const make = (count: number, rowOf: (index: number) => fc.Arbitrary<Row>): readonly Row[] =>
  Array.from(
    { length: count },
    (_, index) => fc.sample(rowOf(index), { seed: 1000 + index, numRuns: 1 })[0] as Row,
  );

const distinct = (rows: readonly Row[], key: readonly string[]): readonly Row[] => [
  ...new Map(rows.map((row) => [JSON.stringify(key.map((name) => row[name])), row])).values(),
];

const some = (type: FieldType): fc.Arbitrary<unknown> => fc.constantFrom(...(stored[type] ?? []));
const maybe = (value: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> => fc.option(value, { freq: 4 });
const word = fc.constantFrom(...words);
const placeCodes = ['aa', 'bb', 'cc', 'zz'];
const placeCode = fc.constantFrom(...placeCodes);

/** A number from 1 to the most, or null. */
const earlier = (most: number): fc.Arbitrary<number | null> =>
  most < 1 ? fc.constant(null) : fc.option(fc.integer({ min: 1, max: most }), { freq: 3 });

const place = (index: number): fc.Arbitrary<Row> =>
  fc.record({ code: fc.constant(placeCodes[index]), name: word, population: maybe(some('bigInteger')) });

const person = (index: number): fc.Arbitrary<Row> =>
  fc.record({
    id: fc.constant(index + 1),
    name: word,
    born: maybe(some('date')),
    active: some('boolean'),
    height: maybe(some('float')),
    home: maybe(placeCode),
    mentor: earlier(index),
  });

const letter = (index: number): fc.Arbitrary<Row> =>
  fc.record({
    id: fc.constant(String(index + 1)),
    title: word,
    body: maybe(fc.oneof(word, fc.constant(''))),
    kind: maybe(fc.constantFrom('card', 'note', 'wire')),
    pages: maybe(some('integer')),
    small: maybe(fc.constantFrom(0, 5, 100, 30_000)),
    serial: maybe(some('bigInteger')),
    price: maybe(some('decimal')),
    weight: maybe(some('float')),
    ratio: maybe(some('float')),
    open: maybe(some('boolean')),
    written: maybe(some('date')),
    arrived: maybe(some('time')),
    sent: maybe(some('dateTime')),
    seen: maybe(some('timestamp')),
    exact: maybe(some('dateTime').map((value) => `${String(value)}.000`)),
    code: maybe(some('uuid')),
    extra: maybe(fc.constantFrom({ a: 1 }, [1, 'b', null], {})),
    seal: maybe(some('binary')),
    tags: maybe(fc.constantFrom([], ['a'], ['a', 'B'], ['b', 'c', 'a'])),
    secret: maybe(word),
    author: earlier(counts.person),
    recipient: earlier(counts.person),
    reply_to: earlier(index).map((id) => (id === null ? null : String(id))),
  });

const topic = (index: number): fc.Arbitrary<Row> =>
  fc.record({
    id: fc.constant(uuidOf(101 + index)),
    name: word,
    position: maybe(fc.integer({ min: 1, max: 4 })),
    parent: earlier(index).map((number) => (number === null ? null : uuidOf(100 + number))),
  });

const letterTopic = (): fc.Arbitrary<Row> =>
  fc.record({
    letter: fc.integer({ min: 1, max: 15 }).map(String),
    topic: fc.integer({ min: 101, max: 100 + counts.topic }).map(uuidOf),
    ranking: maybe(fc.integer({ min: 1, max: 4 })),
    remark: maybe(word),
  });

const folder = (): fc.Arbitrary<Row> =>
  fc.record({ place: placeCode, day: some('date'), title: maybe(word) });

const sheet = (index: number, folders: readonly Row[]): fc.Arbitrary<Row> =>
  fc
    .record({
      folder: fc.option(fc.constantFrom(...folders), { freq: 5 }),
      letter: earlier(counts.letter),
      size: maybe(fc.constantFrom('0.00', '1.50', '21.00', '29.70')),
    })
    .map(({ folder: held, letter: id, size }) => ({
      id: index + 1,
      folder_place: held?.place ?? null,
      folder_day: held?.day ?? null,
      letter: id === null ? null : String(id),
      size,
    }));

/** A collection and a key of it: of items that exist and that do not, and of a collection that is not allowed. */
const pinned = fc.oneof(
  fc.integer({ min: 1, max: counts.letter + 3 }).map((id) => ['letter', String(id)] as const),
  fc.integer({ min: 101, max: 101 + counts.topic }).map((id) => ['topic', uuidOf(id)] as const),
  fc.constantFrom(...placeCodes, 'xx').map((code) => ['place', code] as const),
  fc.constantFrom([null, null] as const, ['folder', 'aa'] as const, ['letter', 'aa'] as const),
);

const pin = (index: number): fc.Arbitrary<Row> =>
  fc
    .record({ holder: earlier(counts.person), pinned, remark: maybe(word) })
    .map(({ holder, pinned: [kind, item], remark }) => ({ id: index + 1, holder, kind, item, remark }));

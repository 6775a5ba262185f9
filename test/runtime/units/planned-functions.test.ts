/** Calls of functions, and conditions on the values in JSON, as plans. */
import { describe, expect, it } from 'vitest';
import type { Entry } from '../../../runtime/plan/types.js';
import type { ReadPermission } from './compiled.js';
import { collectionOf, entriesOf, planOf } from './event-plans.js';
import { printCondition } from './printed-conditions.js';
import { reasonOf } from './refusals.js';

type Query = Readonly<Record<string, unknown>>;

/** The only entry of a selection of a name. */
const entryOf = (name: string, query: Query = {}): Extract<Entry, { kind: 'field' }> => {
  const [entry] = entriesOf('event', { fields: [name], ...query });
  if (entry?.kind !== 'field') throw new Error('not a field');
  return entry;
};

const source = (name: string) => collectionOf('event').fields.get(name);

const whole = (name: string) => ({ name, type: 'integer', bits: 64, nullable: true });

describe('a function of a field', () => {
  it('is a part of its date, as a whole number', () => {
    expect(entryOf('year(day)')).toEqual({
      kind: 'field',
      name: 'day_year',
      field: whole('year(day)'),
      rule: null,
      computed: { kind: 'part', part: 'year', source: source('day'), zone: null },
    });
  });

  it('reads times in the time zone of the query', () => {
    expect(entryOf('hour(at)', { timezone: 'Asia/Tokyo' }).computed).toMatchObject({ zone: 'Asia/Tokyo' });
  });

  it('reads times in UTC within a permission, whoever asks', () => {
    const permissions = [{ collection: 'event', permissions: { 'hour(at)': { _eq: 5 } } }];
    const { where } = planOf('event', { fields: ['id'], timezone: 'Asia/Tokyo' }, { permissions });
    expect(printCondition(where)).toBe('hour(at) in UTC eq 5');
    const filter = { 'hour(at)': { _eq: 5 } };
    const asked = planOf('event', { fields: ['id'], timezone: 'Asia/Tokyo', filter });
    expect(printCondition(asked.where)).toBe('hour(at) in Asia/Tokyo eq value 0');
  });

  it('counts the elements of JSON, or the rows of a list that the caller may read', () => {
    expect(entryOf('count(facts)')).toMatchObject({
      name: 'facts_count',
      field: whole('count(facts)'),
      computed: { kind: 'length', source: source('facts') },
    });
    const permissions = [
      { collection: 'event' },
      { collection: 'part', permissions: { name: { _eq: 'a' } } },
    ];
    const [entry] = entriesOf('event', { fields: ['count(parts)'] }, { permissions });
    const computed = entry?.kind === 'field' ? entry.computed : undefined;
    expect(computed?.kind === 'rows' && printCondition(computed.where)).toBe('name eq "a"');
  });

  it('is a value at a path of JSON', () => {
    expect(entryOf('json(facts, theme.colors[0])')).toEqual({
      kind: 'field',
      name: 'facts_theme_colors_0_json',
      field: { name: 'json(facts, theme.colors[0])', type: 'json', nullable: true },
      rule: null,
      computed: { kind: 'json', source: source('facts'), path: ['theme', 'colors', 0], as: 'value' },
    });
  });

  it('may have another name in the response', () => {
    expect(entryOf('born', { alias: { born: 'year(day)' } }).name).toBe('born');
  });

  it('is visible where its field is', () => {
    const permissions = [
      { collection: 'event', fields: ['id'] },
      { collection: 'event', fields: ['day'], permissions: { open: { _eq: true } } },
    ];
    const [entry] = entriesOf('event', { fields: ['year(day)'] }, { permissions });
    expect(entry?.kind === 'field' && entry.rule && printCondition(entry.rule)).toBe('open eq true');
  });

  it('is not what a field or a list is whose name looks like one', () => {
    expect(entryOf('year(old)')).toMatchObject({
      name: 'year(old)',
      field: { name: 'year(old)', type: 'integer' },
    });
    expect(entryOf('year(old)').computed).toBeUndefined();
    expect(entriesOf('event', { fields: ['count(old)'] })).toMatchObject([
      { kind: 'many', name: 'count(old)' },
    ]);
  });
});

const refusalOf = (name: string, permissions?: readonly ReadPermission[]): string | null =>
  reasonOf(() => planOf('event', { fields: [name] }, permissions && { permissions }));

const forbidden = (name: string): string =>
  `FORBIDDEN: the field "${name}" does not exist or may not be used`;

describe('a function is refused', () => {
  const none = 'no function does';
  const pathForm = 'keys and indexes, 10 at most, as in json(settings, theme.colors[0])';

  it.each<[string, string]>([
    ['hour(day)', 'hour() does not apply to "day" (date); it supports year, month, week, day, weekday'],
    ['year(open)', `year() does not apply to "open" (boolean); ${none}`],
    ['count(day)', 'count() does not apply to "day" (date); it supports year, month, week, day, weekday'],
    ['year(facts)', 'year() does not apply to "facts" (json); it supports count, json'],
    ['json(day, a)', 'json() does not apply to "day" (date); it supports year, month, week, day, weekday'],
    ['count(secret)', `count() does not apply to "secret" (json); ${none}`],
    ['json(secret, a)', `json() does not apply to "secret" (json); ${none}`],
    ['year(hidden)', `year() does not apply to "hidden" (date); ${none}`],
    ['year(hashed)', `year() does not apply to "hashed" (date); ${none}`],
    ['json(parts, a)', 'json() does not apply to the list "parts"; it supports count'],
    ['json(facts)', `json() needs a path: ${pathForm}`],
    ['json(facts, )', `json() needs a path: ${pathForm}`],
    ['json(facts, a..b)', `"a..b" is not a path into JSON; it has ${pathForm}`],
    ['year(day).x', '"year(day)" is a value, so nothing can follow it'],
  ])('where it does not apply: %s', (name, want) => {
    expect(refusalOf(name)).toBe(`INVALID_QUERY: ${want}`);
  });

  it.each(['-age(day)', 'age(day', 'age day)'])('as a name where it is not written as one: %s', (name) => {
    expect(refusalOf(name)).toBe(forbidden(name));
  });

  it('where its field or list cannot be read', () => {
    expect(refusalOf('year(missing)')).toBe(forbidden('missing'));
    const id = [{ collection: 'event', fields: ['id'] }];
    expect(refusalOf('year(day)', id)).toBe(forbidden('day'));
    expect(refusalOf('count(parts)', id)).toBe(forbidden('parts'));
    expect(refusalOf('count(parts)', [{ collection: 'event' }])).toBe(forbidden('parts'));
  });
});

const filterOf = (filter: Query): string => printCondition(planOf('event', { fields: ['id'], filter }).where);

describe('a condition on values in JSON', () => {
  it.each<[Query, string]>([
    [{ facts: { _json: { color: { _eq: 'red' } } } }, 'json(facts, color) eq value 0'],
    [{ facts: { _json: { 'a.b[0]': { _gt: 1 } } } }, 'json(facts, a.b[0]) gt value 0'],
    [
      { facts: { _json: { a: { _eq: 1, _neq: 2 }, b: 3 } } },
      '((json(facts, a) eq value 0 and json(facts, a) neq value 1) and json(facts, b) eq value 2)',
    ],
    [
      { facts: { _json: { _or: [{ a: 1 }, { _and: [{ b: 2 }, { c: 3 }] }] } } },
      '(json(facts, a) eq value 0 or (json(facts, b) eq value 1 and json(facts, c) eq value 2))',
    ],
    [{ facts: { _json: { _or: [] } } }, 'true'],
    [{ facts: { _json: {} } }, 'true'],
    [{ facts: { _json: { a: { _null: true } } } }, 'json(facts, a) is null'],
    [{ facts: { _json: { a: { _nnull: true } } } }, 'not json(facts, a) is null'],
    [
      { facts: { _json: { a: { _empty: true } } } },
      '(json(facts, a) is null or at(row: json(facts, a) eq ""))',
    ],
    [
      { facts: { _json: { a: { _nempty: true } } } },
      'not (json(facts, a) is null or at(row: json(facts, a) eq ""))',
    ],
    [{ 'json(facts, a)': { _contains: 'x' } }, 'json(facts, a) contains value 0'],
    [{ 'json(facts, a)': { _ncontains: 'x' } }, 'not json(facts, a) contains value 0'],
  ])('%j', (filter, want) => {
    expect(filterOf(filter)).toBe(want);
  });

  it('compares the text of a value with an empty one', () => {
    const { where } = planOf('event', { fields: ['id'], filter: { 'json(facts, a)': { _empty: true } } });
    const [, at] = where.kind === 'or' ? where.conditions : [];
    const column = at?.kind === 'at' && at.condition.kind === 'compare' ? at.condition.column : undefined;
    expect(column?.field).toMatchObject({ type: 'string', nullable: true });
    expect(column?.computed).toMatchObject({ kind: 'json', as: 'text', path: ['a'] });
  });

  it('sorts by numbers, then by texts', () => {
    const { order } = planOf('event', { fields: ['id'], sort: ['-json(facts, a)'] });
    expect(
      order
        .slice(0, 2)
        .map(({ column: { field, computed }, descending }) => [
          field.type,
          computed?.kind === 'json' && computed.as,
          descending,
        ]),
    ).toEqual([
      ['float', 'number', true],
      ['string', 'text', true],
    ]);
  });

  it.each<[Query, string]>([
    [
      { facts: { _json: { _eq: 1 } } },
      '"_json" needs paths with conditions, as in {"facts": {"_json": {"theme.color": {"_eq": "red"}}}}',
    ],
    [
      { facts: { _json: { _some: { a: 1 } } } },
      '"_json" needs paths with conditions, as in {"facts": {"_json": {"theme.color": {"_eq": "red"}}}}',
    ],
    ...[{ color: 'red' }, { _and: [{ color: 'red' }] }].map((nested): [Query, string] => [
      { facts: { _json: { theme: nested } } },
      '"_json" takes whole paths, as in {"theme.color": {"_eq": …}}, not "color" inside of "theme"; in GraphQL, paths with points are written in variables',
    ]),
    [{ _json: { a: 1 } }, '"_json" stands directly below a field of JSON only'],
    [{ facts: { _gt: 1 } }, '"facts" (json) does not support "_gt"; it supports _null, _nnull, _json'],
    [
      { secret: { _gt: 1 } },
      '"secret" (json) does not support "_gt"; it supports _empty, _nempty, _null, _nnull',
    ],
    [
      { 'count(facts)': { _contains: 'a' } },
      '"count(facts)" (integer) does not support "_contains"; it supports _eq, _neq, _in, _nin, _null, _nnull, _lt, _lte, _gt, _gte, _between, _nbetween',
    ],
  ])('is refused: %j', (filter, want) => {
    expect(reasonOf(() => filterOf(filter))).toBe(`INVALID_QUERY: ${want}`);
  });
});

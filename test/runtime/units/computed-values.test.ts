/** Values that are computed from a row: parts of dates and times, lengths, numbers of rows, and values in JSON. */
import { describe, expect, it } from 'vitest';
import type { Field } from '../../../contract/collection.js';
import { date, dateTime, json, timestamp, type FieldDeclaration } from '../../../contract/fields.js';
import type { DatePart } from '../../../contract/functions.js';
import { compileComputed } from '../../../runtime/sql/computed.js';
import { createCompiler, createScope, valueAt } from '../../../runtime/sql/condition.js';
import { dialects, fieldOf, statementOf } from './compiled.js';

const { mysql, postgres, sqlite } = dialects;

const source = (declaration: FieldDeclaration): Field => ({ ...declaration, name: 'made' });

const partOf = (declaration: FieldDeclaration, zone: string | null, part: DatePart = 'hour'): string =>
  compileComputed({ kind: 'part', part, source: source(declaration), zone }, 'c', mysql);

/** Returns how many CASE are within each other at most. */
const depthOf = (text: string): number => {
  let [depth, most] = [0, 0];
  for (const word of text.match(/\b(?:case|end)\b/g) ?? []) {
    depth += word === 'case' ? 1 : -1;
    most = Math.max(most, depth);
  }
  return most;
};

describe('a part of a date or time', () => {
  it('is that in UTC without a time zone', () => {
    expect(partOf(timestamp(), null)).toBe('hour(c)');
    expect(partOf(date(), null, 'year')).toBe('year(c)');
  });

  it('of a timestamp is shifted to the time zone', () => {
    expect(partOf(timestamp(), 'Etc/GMT+7')).toBe('hour((c + interval (-25200) second))');
    expect(partOf(timestamp(), 'Etc/UTC')).toBe('hour((c + interval (0) second))');
  });

  it('of a date or time without a zone is the same in every zone', () => {
    expect(partOf(dateTime(), 'Etc/GMT+7')).toBe('hour(c)');
    expect(partOf(date(), 'Etc/GMT+7', 'day')).toBe('day(c)');
  });

  it('has the offset of its moment, found by halves of the changes', () => {
    expect(partOf(timestamp(), 'Asia/Kathmandu')).toBe(
      "hour((c + interval (case when c < '1985-12-31 18:30:00'" +
        " then case when c < '1919-12-31 18:18:44' then 20476 else 19800 end else 20700 end) second))",
    );
  });

  it('compares few of many changes', () => {
    const sql = partOf(timestamp(), 'Europe/Moscow');
    expect(sql.match(/\bcase\b/g)?.length).toBeGreaterThan(60);
    expect(depthOf(sql)).toBeLessThan(9);
  });
});

it('the position of a value of an enum is a number, and the value itself where there are no enums', () => {
  const positionIn = (dialect: typeof sqlite) =>
    compileComputed({ kind: 'position', source: fieldOf('shelf', 'genre') }, 'c', dialect);
  expect([postgres, mysql, sqlite].map(positionIn)).toEqual([
    'array_position(enum_range(c), c)',
    'cast(c as unsigned)',
    'c',
  ]);
});

describe('a value of JSON', () => {
  const path = ['a', 0] as const;

  it.each(['value', 'text', 'number'] as const)('at a path is a %s', (as) => {
    const computed = { kind: 'json', path, as, source: source(json()) } as const;
    expect(compileComputed(computed, 'c', sqlite)).toBe(sqlite.jsonAt('c', computed.source, path)?.[as]);
  });

  it('has a length', () => {
    expect(compileComputed({ kind: 'length', source: source(json()) }, 'c', sqlite)).toBe(
      'case when json_valid(c) then (select count(*) from json_each(c)) end',
    );
  });

  it('is none where the column has a text', () => {
    const text = source(json({ dbType: 'text' }));
    expect(() => compileComputed({ kind: 'length', source: text }, 'c', postgres)).toThrow(
      'count() needs a column of JSON; "made" is stored as text',
    );
    expect(() => compileComputed({ kind: 'json', path, as: 'value', source: text }, 'c', postgres)).toThrow(
      'json() needs a column of JSON; "made" is stored as text',
    );
  });
});

/** The first column of a query of books. */
const columnOf = (field: string, options?: Parameters<typeof statementOf>[2]): string =>
  statementOf('book', { fields: [field], limit: -1 }, options)
    .replace(/^select /, '')
    .replace(/ from [`"]book[`"] t0.*$/, '');

describe('a computed column', () => {
  it('is the number of rows of a list', () => {
    expect(columnOf('count(notes)')).toBe('(select count(*) from "note" t1 where t1."book" = t0."code")');
  });

  it('counts only rows that the caller may read', () => {
    const permissions = [{ collection: 'book' }, { collection: 'note', permissions: { text: { _eq: 'a' } } }];
    expect(columnOf('count(notes)', { permissions })).toBe(
      '(select count(*) from "note" t1 where t1."book" = t0."code" and t1."text" = ?)',
    );
  });

  it('is a part of a column of the row itself or of a related row', () => {
    expect(columnOf('year(bought)', { dialect: 'mysql' })).toBe('year(t0.`bought`)');
    const filter = { book: { 'year(bought)': { _eq: 2020 } } };
    expect(statementOf('note', { fields: ['id'], filter }, { dialect: 'mysql' })).toContain(
      'where year(t1.`bought`) = ? order',
    );
  });

  it('is a value of JSON', () => {
    const facts = fieldOf('book', 'facts');
    expect(columnOf('json(facts, a)')).toBe(sqlite.jsonAt('t0."facts"', facts, ['a'])?.value);
  });

  it('is hidden in rows in which its column is hidden', () => {
    const permissions = [
      { collection: 'book', fields: ['code'] },
      { collection: 'book', fields: ['bought'], permissions: { lent: { _eq: true } } },
    ];
    expect(columnOf('year(bought)', { dialect: 'mysql', permissions })).toBe(
      'case when t0.`lent` = ? then year(t0.`bought`) end',
    );
  });

  it('of an aggregation is the output of its index', () => {
    const scope = { ...createScope(createCompiler(sqlite)), outputs: [['g0'], ['m0']] };
    const output = { field: fieldOf('book', 'title'), computed: { kind: 'output', index: 1 } } as const;
    expect(valueAt(output, scope)).toEqual(['m0']);
  });
});

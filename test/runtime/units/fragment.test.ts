import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  createStatement,
  join,
  repeatFragment,
  sql,
  type BindInput,
  type Parameter,
} from '../../../runtime/sql/fragment.js';
import { columnsOf } from '../../../runtime/sql/select.js';
import { codeOf } from './refusals.js';

const one = (slot: number): Parameter => ({
  placeholder: '?',
  list: false,
  read: ({ values }) => values[slot] as number,
});
const list = (slot: number): Parameter => ({
  placeholder: '?',
  list: true,
  read: ({ values }) => values[slot] as number[],
});
const pairs: Parameter = {
  placeholder: '(?, ?)',
  list: true,
  width: 2,
  read: ({ values }) => (values[0] as number[][]).flat(),
};
const key: Parameter = {
  placeholder: '?',
  list: false,
  read: ({ keys }) => (keys[0] ?? null) as string | null,
};

const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);

const selecting = (count: number) => () =>
  columnsOf({ columns: Array.from({ length: count }, () => ['t0.a']) });

const input = (values: readonly unknown[], keys: readonly unknown[] = []): BindInput => ({
  values,
  keys,
  resolve: (value) => value,
  resolveQueryValue: (value) => value,
});

describe('a fragment', () => {
  it('keeps the order of texts and parameters, fragments flattened', () => {
    const inner = sql`b = ${one(1)}`;
    const statement = createStatement(
      sql`select ${3} where a = ${one(0)} and ${inner} or ${join([inner, inner], ' or ')}`,
    );
    expect(statement.render(input([1, 2]))).toEqual({
      text: 'select 3 where a = ? and b = ? or b = ? or b = ?',
      values: [1, 2, 2, 2],
    });
  });

  it('has only whole numbers in its text, if a dialect requires it', () => {
    const limit: Parameter = { ...one(1), inText: true, read: ({ values }) => values[1] as bigint };
    const { render } = createStatement(sql`a in (${list(0)}) limit ${limit}`);
    expect(render(input([[1, 2], 5n]))).toEqual({ text: 'a in (?, ?) limit 5', values: [1, 2] });
    expect(render(input([[1, 2], 7n])).text).toBe('a in (?, ?) limit 7');
    expect(() => render(input([[1, 2], '7; drop table x']))).toThrow('only whole numbers');
    const each = repeatFragment(sql`a = ${key} limit ${limit}`);
    expect(each.render(input([0, 3n], ['x', 'y']))).toEqual({
      text: 'select * from (a = ? limit 3) as b0 union all select * from (a = ? limit 3) as b1',
      values: ['x', 'y'],
    });
  });

  it('has no value in its text', () => {
    const { text } = createStatement(sql`a = ${one(0)}`).render(input(["'; drop table x; --"]));
    expect(text).toBe('a = ?');
  });
});

describe('a list', () => {
  it.each([
    [[], '?', [null]],
    [[1], '?', [1]],
    [[1, 2], '?, ?', [1, 2]],
    [[1, 2, 3], '?, ?, ?', [1, 2, 3]],
  ])('%j is short and not padded', (values, text, want) => {
    expect(createStatement(sql`${list(0)}`).render(input([values]))).toEqual({ text, values: want });
  });

  it.each([
    [16, 16],
    [17, 18],
    [33, 36],
    [50, 52],
    [63, 64],
    [64, 64],
    [65, 72],
    [1000, 1024],
  ])('of %i elements is padded to %i with its last one', (length, want) => {
    const { text, values } = createStatement(sql`${list(0)}`).render(input([numbers(length)]));
    expect(values).toEqual([...numbers(length), ...Array<number>(want - length).fill(length)]);
    expect(text.split(', ')).toEqual(Array(want).fill('?'));
  });

  it('of pairs is padded with pairs', () => {
    const statement = createStatement(sql`in (${pairs})`);
    const seventeen = numbers(17).map((number) => [number, -number]);
    expect(statement.render(input([seventeen]))).toEqual({
      text: `in (${Array(18).fill('(?, ?)').join(', ')})`,
      values: [...seventeen, [17, -17]].flat(),
    });
    expect(statement.render(input([[]]))).toEqual({ text: 'in ((?, ?))', values: [null, null] });
  });

  it('can be beside others of different lengths', () => {
    const statement = createStatement(sql`a in (${list(0)}) and b = ${one(1)} and c in (${list(2)})`);
    expect(statement.render(input([[1, 2, 3], 9, [4]]))).toEqual({
      text: 'a in (?, ?, ?) and b = ? and c in (?)',
      values: [1, 2, 3, 9, 4],
    });
  });

  it('has few texts for all lengths, with the same set of values', () => {
    const statement = createStatement(sql`a in (${list(0)})`);
    const texts = new Set<string>();
    const isSameSet = fc.property(fc.array(fc.integer(), { minLength: 1, maxLength: 200 }), (values) => {
      const rendered = statement.render(input([values]));
      texts.add(rendered.text);
      expect(new Set(rendered.values)).toEqual(new Set(values));
      expect(rendered.text.split('?').length - 1).toBe(rendered.values.length);
    });
    fc.assert(isSameSet, { seed: 51, numRuns: 200 });
    expect(texts.size).toBeLessThanOrEqual(45);
  });
});

describe('rejects what no database accepts', () => {
  it('more values than can be bound', () => {
    const statement = createStatement(sql`a in (${list(0)})`);
    const withValues = (count: number) => () =>
      statement.render(input([Array.from({ length: count }, () => 1)]));
    expect(codeOf(withValues(30_720))).toBeNull();
    expect(codeOf(withValues(30_721))).toBe('INVALID_QUERY');
    const apart = repeatFragment(sql`k = ${key} and a in (${list(0)})`);
    expect(
      codeOf(() =>
        apart.render(input([Array.from({ length: 1000 }, () => 1)], Array.from({ length: 64 }, String))),
      ),
    ).toBe('INVALID_QUERY');
  });

  it('more columns than can be selected', () => {
    expect(codeOf(selecting(1_980))).toBeNull();
    expect(codeOf(selecting(1_981))).toBe('INVALID_QUERY');
  });
});

describe('a repeated fragment', () => {
  const statement = repeatFragment(sql`select a from t where k = ${key} and b = ${one(0)} limit 1`);

  it('is one branch per key', () => {
    expect(statement.render(input([7], ['x', 'y']))).toEqual({
      text:
        'select * from (select a from t where k = ? and b = ? limit 1) as b0 union all ' +
        'select * from (select a from t where k = ? and b = ? limit 1) as b1',
      values: ['x', 7, 'y', 7],
    });
  });

  it('is padded with keys that equal nothing', () => {
    const { text, values } = statement.render(input([7], numbers(17)));
    expect(text.match(/union all/g)).toHaveLength(17);
    expect(values).toEqual([...numbers(17).flatMap((number) => [number, 7]), null, 7]);
    expect(statement.render(input([7], [])).values).toEqual([null, 7]);
  });

  it('repeats lists in every branch', () => {
    const withList = repeatFragment(sql`k = ${key} and b in (${list(0)})`);
    const { values } = withList.render(input([numbers(17)], ['x', 'y']));
    expect(values).toEqual(['x', ...numbers(17), 17, 'y', ...numbers(17), 17]);
  });

  it('has another text for another number of values', () => {
    const { render } = repeatFragment(sql`k = ${key} and b in (${list(0)})`);
    const texts = [[1], [1, 2], [1]].map((values) => render(input([values], ['x'])).text);
    expect(texts).toEqual(['k = ? and b in (?)', 'k = ? and b in (?, ?)', 'k = ? and b in (?)']);
  });

  it('has the limit of all branches behind the last, and behind a single one', () => {
    const { render } = repeatFragment(sql`k = ${key}`, sql` limit ${one(0)}`);
    expect(render(input([9], ['x', 'y']))).toEqual({
      text: 'select * from (k = ?) as b0 union all select * from (k = ?) as b1 limit ?',
      values: ['x', 'y', 9],
    });
    expect(render(input([9], ['x']))).toEqual({
      text: 'select * from (k = ?) as b0 limit ?',
      values: ['x', 9],
    });
  });
});

const limit = (value: unknown): Parameter => ({
  placeholder: '?',
  list: false,
  inText: true,
  read: () => value as bigint,
});

/** Returns the error for a statement with this number of values. */
const codeOfMany = (count: number) =>
  codeOf(() =>
    createStatement(
      join(
        numbers(count).map(() => sql`${one(0)}`),
        ',',
      ),
    ).render(input([1])),
  );

describe('texts of a statement', () => {
  it('contain numbers that cannot be bound', () => {
    expect(createStatement(sql`limit ${limit(5n)}`).render(input([]))).toEqual({
      text: 'limit 5',
      values: [],
    });
    expect(() => createStatement(sql`limit ${limit('5')}`).render(input([]))).toThrow('whole numbers');
  });

  it('use another placeholder for values outside the usual range', () => {
    const outOfRange = { placeholder: 'cast(?)', fits: (value: unknown) => Number(value) < 10 };
    const wide = createStatement(
      sql`a in (${{ ...list(0), outOfRange }}) and b = ${{ ...one(1), outOfRange }}`,
    );
    expect(wide.render(input([[1, 2], 3])).text).toBe('a in (?, ?) and b = ?');
    expect(wide.render(input([[1, 20], 3])).text).toBe('a in (cast(?), cast(?)) and b = ?');
    expect(wide.render(input([[1, null], 30])).text).toBe('a in (?, ?) and b = cast(?)');
    const single = createStatement(sql`b = ${{ ...one(0), outOfRange }}`);
    expect([5, 50, null].map((value) => single.render(input([value])).text)).toEqual([
      'b = ?',
      'b = cast(?)',
      'b = ?',
    ]);
  });

  it('have at most 32 766 values', () => {
    expect([codeOfMany(32_766), codeOfMany(32_767)]).toEqual([null, 'INVALID_QUERY']);
  });
});

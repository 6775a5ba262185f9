import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { unlimitedReads } from '../../../runtime/execute/read-budget.js';
import { insertLists as insertWithin, type FilledRows } from '../../../runtime/execute/nested-rows.js';
import { RowCollector, type RowSet } from '../../../runtime/execute/row-set.js';

const insertLists = (set: RowSet, lists: readonly (RowSet | FilledRows)[]): FilledRows =>
  insertWithin(
    set,
    lists.map((list) => ({ nested: 0, ...list })),
    unlimitedReads(),
  );

/** A row as it will be: a text, and lists by key; nothing belongs to `null`. */
interface RowSketch {
  readonly text: string;
  readonly lists: readonly (string | null)[];
}

const writeRow = (collector: RowCollector, { text, lists }: RowSketch): void => {
  collector.writer.text(`{"t":${JSON.stringify(text)}`);
  lists.forEach((key, list) => {
    collector.writer.text(`,"l${list}":`);
    collector.addSlot(list, key);
  });
  collector.writer.text('}');
};

const collect = (rows: readonly RowSketch[]): RowSet => {
  const collector = new RowCollector(0, { limit: Number.POSITIVE_INFINITY });
  for (const row of rows) {
    collector.beginRow();
    writeRow(collector, row);
  }
  return collector.finish();
};

type Children = ReadonlyMap<string, readonly RowSketch[]>;

const collectChildren = (children: Children, limit: number): RowSet => {
  const collector = new RowCollector(0, { limit });
  for (const [key, rows] of children) {
    for (const row of rows) if (collector.beginChild(key)) writeRow(collector, row);
  }
  return collector.finish();
};

/** The obvious way: objects. */
const build = (rows: readonly RowSketch[], children: readonly Children[], limit: number): unknown[] =>
  rows.map(({ text, lists }) => ({
    t: text,
    ...Object.fromEntries(
      lists.map((key, list) => [
        `l${list}`,
        key === null ? [] : build([...(children[list]?.get(key) ?? [])].slice(0, limit), [], limit),
      ]),
    ),
  }));

const read = ({ rows }: Pick<FilledRows, 'rows'>): unknown => JSON.parse(`[${rows.bytes.toString()}]`);

const key = fc.constantFrom('1', '2', '3', 'a,b', '["x","y"]', '');
const text = fc.string({ unit: 'grapheme', maxLength: 12 });
const leaf = fc.record({ text, lists: fc.constant([]) });
const childrenOf = (row: fc.Arbitrary<RowSketch>): fc.Arbitrary<Children> =>
  fc
    .uniqueArray(fc.tuple(key, fc.array(row, { minLength: 1, maxLength: 4 })), { selector: ([each]) => each })
    .map((entries) => new Map(entries));

describe('nested lists', () => {
  it('are inserted into their parents, shared by parents with one key', () => {
    const parent = fc.record({ text, lists: fc.tuple(fc.option(key), fc.option(key)) });
    const isSame = fc.property(
      fc.array(parent, { maxLength: 6 }),
      fc.tuple(childrenOf(leaf), childrenOf(leaf)),
      fc.integer({ min: 1, max: 3 }),
      (rows, children, limit) => {
        const filled = insertLists(
          collect(rows),
          children.map((each) => collectChildren(each, limit)),
        );
        expect(read(filled)).toEqual(build(rows, children, limit));
      },
    );
    fc.assert(isSame, { seed: 71, numRuns: 500 });
  });

  it('keep their groups if nested lists are inserted', () => {
    const child = fc.record({ text, lists: fc.tuple(fc.option(key)) });
    const isSame = fc.property(
      fc.array(fc.record({ text, lists: fc.tuple(fc.option(key)) }), { maxLength: 6 }),
      childrenOf(child),
      childrenOf(leaf),
      (rows, children, grandchildren) => {
        const inner = insertLists(collectChildren(children, 9), [collectChildren(grandchildren, 9)]);
        const filled = insertLists(collect(rows), [inner]);
        const want = rows.map(({ text: t, lists: [parentKey = null] }) => ({
          t,
          l0: parentKey === null ? [] : build([...(children.get(parentKey) ?? [])], [grandchildren], 9),
        }));
        expect(read(filled)).toEqual(want);
      },
    );
    fc.assert(isSame, { seed: 72, numRuns: 500 });
  });

  it('can be shared by very many parents', () => {
    const rows = Array.from({ length: 1000 }, (_, index) => ({ text: String(index), lists: ['k'] }));
    const children = new Map([
      ['k', Array.from({ length: 50 }, () => ({ text: 'x'.repeat(20), lists: [] }))],
    ]);
    const filled = insertLists(collect(rows), [collectChildren(children, 100)]);
    expect(read(filled)).toEqual(build(rows, [children], 100));
  });
});

describe('a collector', () => {
  it('counts skipped rows', () => {
    const rows = Array.from({ length: 5 }, (_, index) => ({ text: String(index), lists: [] }));
    const set = collectChildren(
      new Map([
        ['k', rows],
        ['l', rows.slice(0, 1)],
      ]),
      2,
    );
    expect(set.count).toBe(6);
    const bytes = set.rows.bytes.toString();
    const groups = [...set.groups].map(([each, { start, end }]) => [each, bytes.slice(start, end)]);
    expect(groups).toEqual([
      ['k', '{"t":"0"},{"t":"1"}'],
      ['l', '{"t":"0"}'],
    ]);
  });

  it('returns rows that can be enclosed', () => {
    const { rows } = collect([
      { text: 'a', lists: [] },
      { text: 'b', lists: [] },
    ]);
    expect(rows.enclose(Buffer.from('{"data":['), Buffer.from(']}')).toString()).toBe(
      '{"data":[{"t":"a"},{"t":"b"}]}',
    );
    const long = Buffer.from('x'.repeat(100));
    expect(
      collect([{ text: 'a', lists: [] }])
        .rows.enclose(long, long)
        .toString(),
    ).toBe(`${long}{"t":"a"}${long}`);
    expect(collect([]).rows.enclose(Buffer.from('['), Buffer.from(']')).toString()).toBe('[]');
    expect([collect([]).rows.isEmpty, rows.isEmpty]).toEqual([true, false]);
  });
});

describe('rows beyond the limit', () => {
  const limit = 2;

  it('are left out, and the rows are not whole', () => {
    for (const [count, isWhole] of [
      [2, true],
      [3, false],
    ] as const) {
      const collector = new RowCollector(0, { limit });
      const begun = Array.from({ length: count }, () => collector.beginRow());
      expect([begun.filter(Boolean).length, collector.finish().isWhole]).toEqual([2, isWhole]);
    }
  });

  it('are left out for each parent, and the rows are not whole', () => {
    for (const [keys, isWhole] of [
      [['a', 'a', 'b', 'b'], true],
      [['a', 'b', 'b', 'b'], false],
    ] as const) {
      const collector = new RowCollector(0, { limit });
      for (const key of keys) if (collector.beginChild(key)) collector.writer.text('{}');
      expect(collector.finish().isWhole).toBe(isWhole);
    }
  });
});

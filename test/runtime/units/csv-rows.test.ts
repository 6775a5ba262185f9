/** Rows of CSV, however their cells are quoted and their lines end. `LONG=1` reads many more. */
import { Readable } from 'node:stream';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Collection, Field } from '../../../contract/collection.js';
import { readCsv } from '../../../runtime/transfers/source/csv.js';
import { collectionOf } from './compiled.js';

const numRuns = process.env.LONG === undefined ? 300 : 20_000;
const names = ['a', 'b', 'c'];

interface Cell {
  readonly text: string;
  readonly isQuoted: boolean;
}

const needsQuotes = (text: string): boolean => /[",;\r\n]/.test(text);

const write = ({ text, isQuoted }: Cell): string =>
  isQuoted || needsQuotes(text) ? `"${text.replaceAll('"', '""')}"` : text;

const read = async (
  text: string,
  delimiter: string,
  collection = collectionOf('book'),
): Promise<readonly unknown[]> => {
  const options = { collection, mapping: {}, delimiter };
  const open = async (start: number) => Readable.from([Buffer.from(text).subarray(start)]);
  const rows = readCsv(open, { position: 0, line: 0 }, options);
  const items: unknown[] = [];
  for await (const { item } of rows) items.push(item);
  return items;
};

it('a cell that is empty is left out, and one that is quoted and empty is an empty text', async () => {
  expect(await read('a,b,c\n"",,x\n\n,"",""\n1,,\n', ',')).toEqual([
    { a: '', c: 'x' },
    { b: '', c: '' },
    { a: '1' },
  ]);
});

const withOddFields: Collection = {
  ...collectionOf('book'),
  fields: new Map<string, Field>([
    ['size.cm', { name: 'size.cm', type: 'integer' }],
    ['tags', { name: 'tags', type: 'csv' }],
  ]),
};

it('lists of texts and names with points are read as exports write them', async () => {
  const file = 'size.cm,size.mm,tags\n1,2,"[""a"",""b""]"\n3,4,"a,b"\n5,6,[a]\n7,8,"[]"\n';
  expect(await read(file, ',', withOddFields)).toEqual([
    { 'size.cm': '1', size: { mm: '2' }, tags: ['a', 'b'] },
    { 'size.cm': '3', size: { mm: '4' }, tags: 'a,b' },
    { 'size.cm': '5', size: { mm: '6' }, tags: '[a]' },
    { 'size.cm': '7', size: { mm: '8' }, tags: [] },
  ]);
});

it('cells are read as they were written', async () => {
  const part = fc.constantFrom('', 'x', '"', '""', ',', ';', '\n', '\r\n', "'", 'é', ' ');
  const text = fc.array(part, { maxLength: 3 }).map((parts) => parts.join(''));
  const cell = fc.record({ text, isQuoted: fc.boolean() });
  const row = fc.array(cell, { minLength: names.length, maxLength: names.length });
  const file = fc.record({
    rows: fc.array(row, { minLength: 1, maxLength: 4 }),
    delimiter: fc.constantFrom(',', ';'),
    ending: fc.constantFrom('\n', '\r\n', '\n\n'),
  });
  const isRead = fc.asyncProperty(file, async ({ rows, delimiter, ending }) => {
    const lines = [names, ...rows.map((cells) => cells.map(write))].map((cells) => cells.join(delimiter));
    const expected = rows.map((cells) =>
      Object.fromEntries(
        cells.flatMap((each, index) => {
          if (write(each) === '') return [];
          return [[names[index], each.text.startsWith("'") ? each.text.slice(1) : each.text]];
        }),
      ),
    );
    expect(await read(lines.join(ending), delimiter)).toEqual(expected);
  });
  await fc.assert(isRead, { seed: 5, numRuns });
});

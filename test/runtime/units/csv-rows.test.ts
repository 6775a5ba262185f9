/** Rows of CSV, however their cells are quoted and their lines end. `LONG=1` reads many more. */
import { Readable } from 'node:stream';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Collection, Field } from '../../../contract/collection.js';
import { readCsv } from '../../../runtime/transfers/source/csv.js';
import { readJsonItem } from '../../../runtime/transfers/source/json-text.js';
import type { Mapping } from '../../../runtime/transfers/source/payload.js';
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

const readPieces = async (
  pieces: readonly Buffer[],
  delimiter: string,
  { mapping = {}, collection = collectionOf('book') }: { mapping?: Mapping; collection?: Collection } = {},
) => {
  const options = { collection, mapping, delimiter };
  const open = async (start: number) =>
    Readable.from(start === 0 ? pieces : [Buffer.concat(pieces).subarray(start)]);
  const items: unknown[] = [];
  for await (const { item } of readCsv(open, { position: 0, line: 0 }, options)) items.push(item);
  return items;
};

const read = (text: string, delimiter: string) => readPieces([Buffer.from(text)], delimiter);

it('a cell that is empty is left out, and one that is quoted and empty is an empty text', async () => {
  expect(await read('a,b,c\n"",,x\n\n,"",""\n1,,\n', ',')).toEqual([
    { a: '', c: 'x' },
    { b: '', c: '' },
    { a: '1' },
  ]);
});

it('booleans may be in capital letters, as spreadsheets write them, and texts stay as they are', async () => {
  const plain = collectionOf('book');
  const fields = new Map(plain.fields).set('a', { name: 'a', type: 'boolean' } as Field);
  const rows = [Buffer.from('a,b\nTRUE,TRUE\nFalse,x\nyes,\n')];
  expect(await readPieces(rows, ',', { collection: { ...plain, fields } })).toEqual([
    { a: 'true', b: 'TRUE' },
    { a: 'false', b: 'x' },
    { a: 'yes' },
  ]);
});

const latin1 = Buffer.from('caf\u00e9', 'latin1');

it.each([
  ['in one piece', [Buffer.from('a,b\nx,"é\n'), latin1, Buffer.from('"\n')], 3],
  ['in the first line', [latin1, Buffer.from(',b\n1,2\n')], 1],
  ['at the end of the file', [Buffer.from('a,b\n1,2\n3,'), Buffer.from('é').subarray(0, 1)], 3],
  [
    'after a character in two pieces',
    [Buffer.from('a,b\n1,é\n').subarray(0, 7), Buffer.from('é\n2,3\n').subarray(1), latin1],
    4,
  ],
])('bytes that are not UTF-8 are refused %s, with their line', async (_, pieces, line) => {
  const message = 'the file is not valid UTF-8; save it in this encoding';
  for (const each of [pieces, [Buffer.concat(pieces)]])
    await expect(readPieces(each, ',')).rejects.toMatchObject({ message, line });
});

it('two columns of one field are refused, since only one of them would be stored', async () => {
  const message = 'the columns "A" and "B" are both the field "a.b"';
  const mapping = { A: 'a.b', B: 'a.b' };
  const rows = readPieces([Buffer.from('A,B\n1,2\n')], ',', { mapping });
  await expect(rows).rejects.toMatchObject({ message, line: 1 });
  expect(
    readJsonItem(Buffer.from('{"A":1,"B":2}'), { mapping, collection: collectionOf('book') }),
  ).toMatchObject({ message, column: null });
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
  expect(await readPieces([Buffer.from(file)], ',', { collection: withOddFields })).toEqual([
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
    const expected = rows.flatMap((cells) => {
      const values = cells.flatMap((each, index) => {
        if (write(each) === '') return [];
        return [[names[index] as string, each.text.startsWith("'") ? each.text.slice(1) : each.text]];
      });
      // rows without a value are skipped
      return values.length === 0 ? [] : [Object.fromEntries(values)];
    });
    expect(await read(lines.join(ending), delimiter)).toEqual(expected);
  });
  await fc.assert(isRead, { seed: 5, numRuns });
});

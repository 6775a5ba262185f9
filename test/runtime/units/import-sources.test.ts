/** Files of imports as people have them: where their rows are, and what is wrong with those that cannot be read. */
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import type { Collection, Field } from '../../../contract/collection.js';
import type { ImportFormat } from '../../../contract/import-formats.js';
import type { Mapping } from '../../../runtime/transfers/source/payload.js';
import { isFault, type SourcePosition } from '../../../runtime/transfers/source/row.js';
import { readRows } from '../../../runtime/transfers/source/rows.js';
import { collectionOf } from './compiled.js';

const collection: Collection = {
  ...collectionOf('book'),
  fields: new Map([['size.cm', { name: 'size.cm', type: 'integer' } as Field]]),
};

interface Options {
  readonly format?: ImportFormat;
  readonly mapping?: Mapping;
  readonly delimiter?: string;
  readonly from?: SourcePosition;
}

/** Returns the line and the item of each row; of a row or file at fault, the line and what is wrong. */
const read = async (content: string | Buffer, options: Options = {}) => {
  const { format = 'csv', mapping = {}, delimiter = ',', from = { position: 0, line: 0 } } = options;
  const open = async (start: number) => Readable.from([Buffer.from(content).subarray(start)]);
  const rows: (readonly [line: number, item: unknown])[] = [];
  const ends: SourcePosition[] = [];
  try {
    for await (const { line, item, end } of readRows(open, from, {
      format,
      collection,
      mapping,
      delimiter,
    })) {
      rows.push([line, isFault(item) ? item.message : item]);
      ends.push(end);
    }
  } catch (error) {
    const { line, message } = error as Error & { readonly line: number };
    rows.push([line, message]);
  }
  return { rows, ends };
};

it.each([
  ['LF', '\n'],
  ['CRLF', '\r\n'],
  ['CR', '\r'],
])('a row of CSV has the line on which it begins, where lines end with %s', async (_, ending) => {
  const lines = ['\uFEFFa,b', '1,"x', 'y', 'z"', '', '2,""', '3,w'];
  const { rows, ends } = await read(lines.join(ending));
  expect(rows.map(([line]) => line)).toEqual([2, 6, 7]);
  for (const [index, from] of ends.entries())
    expect((await read(lines.join(ending), { from })).rows).toEqual(rows.slice(index + 1));
});

it.each([
  ['3,"x"y', 'a cell goes on after its closing quote; write quotes inside of a cell twice'],
  [
    '3,x"y"',
    'a cell has a quote and does not begin with one; put the cell in quotes, and write those inside of it twice',
  ],
  ['3,"xy', 'a cell has an opening quote and no closing one, in this row or one after it'],
])('all rows before %s are read', async (row, problem) => {
  const { rows } = await read(`a,b\r\n1,"x\r\ny"\r\n2,x\r\n${row}\r\n4,x\r\n`);
  expect(rows).toEqual([
    [2, { a: '1', b: 'x\r\ny' }],
    [4, { a: '2', b: 'x' }],
    [5, `the file is not CSV: ${problem}`],
  ]);
});

it('all rows before a byte that is not UTF-8 are read', async () => {
  const { rows } = await read(Buffer.from('a\n1\n2\ncaf\u00e9\n3\n', 'latin1'));
  expect(rows.slice(0, 2)).toEqual([
    [2, { a: '1' }],
    [3, { a: '2' }],
  ]);
  expect(rows[2]).toEqual([4, 'the file is not valid UTF-8; save it in this encoding']);
});

it('columns without a name, at the end of the lines of a spreadsheet, are left out', async () => {
  const { rows } = await read('a;b;;\n1;2;;\n3;;x;\n', { delimiter: ';' });
  expect(rows).toEqual([
    [2, { a: '1', b: '2' }],
    [3, 'cell 3 has a value, and its column no name in the first line'],
  ]);
  expect((await read(',b\n1,2\n', { mapping: { '': 'a' } })).rows).toEqual([[2, { a: '1', b: '2' }]]);
});

it('lines without a value, which spreadsheets leave at the end, are skipped', async () => {
  const content = 'a;b\n;\n1;\n"";\n;\n;;;\n';
  const { rows, ends } = await read(content, { delimiter: ';' });
  expect(rows).toEqual([
    [3, { a: '1' }],
    [4, { a: '' }],
  ]);
  expect((await read(content, { delimiter: ';', from: ends[1] as SourcePosition })).rows).toEqual([]);
});

it.each([',', ';'])(
  'a first line "sep=;" says what separates cells, whatever the parameter is: %s',
  async (delimiter) => {
    const content = '\uFEFFsep=;\r\na;b\r\n1;x,y\r\n2;z\r\n';
    const { rows, ends } = await read(content, { delimiter });
    expect(rows).toEqual([
      [3, { a: '1', b: 'x,y' }],
      [4, { a: '2', b: 'z' }],
    ]);
    expect((await read(content, { delimiter, from: ends[0] as SourcePosition })).rows).toEqual(rows.slice(1));
    expect((await read('sep=\ta\n1\n', { delimiter })).rows).toEqual([
      [1, expect.stringContaining('if a tab separates its cells')],
    ]);
    expect((await read('a\nsep=;\n', { delimiter })).rows.map(([line]) => line)).toEqual([2]);
  },
);

it('a column that "mapping" names and the file has not is an error, unless it is left out anyway', async () => {
  const mapping = { A: 'a', Bee: 'b', Sea: null };
  expect((await read('A,b\n1,2\n', { mapping })).rows).toEqual([
    [1, '"mapping" names the column "Bee", and the file has "A", "b"'],
  ]);
  expect((await read('A,Bee\n1,2\n', { mapping })).rows).toEqual([[2, { a: '1', b: '2' }]]);
});

const overlap =
  'there is a value of "artist.name" and one of the whole that it is a part of; leave one of them out';

it.each(['artist,artist.name\n5,Bo\n,Al\n6,\n', 'artist.name,artist\nBo,5\nAl,\n,6\n'])(
  'a value and a part of it are not stored over each other: %s',
  async (content) => {
    expect((await read(content)).rows).toEqual([
      [2, overlap],
      [3, { artist: { name: 'Al' } }],
      [4, { artist: '6' }],
    ]);
  },
);

it.each([
  ['{"A":1,"B":2}', { 'size.cm': 1, artist: { name: 2 } }],
  ['{"B":2,"artist":{"id":3}}', { artist: { id: 3, name: 2 } }],
  ['{"B":2,"artist":3}', overlap],
  ['{"B":2,"artist":[3]}', overlap],
  ['{"B":2,"artist":null}', { artist: { name: 2 } }],
])('members of JSON are renamed: %s', async (content, item) => {
  const mapping = { A: 'size.cm', B: 'artist.name' };
  for (const [format, text] of [
    ['ndjson', content],
    ['json', `[${content}]`],
  ] as const)
    expect((await read(text, { format, mapping })).rows).toEqual([[1, item]]);
});

const utf16 = 'the file is UTF-16; save it as UTF-8';
const text = '\uFEFFa,b\n1,2\n';

it.each<[string, string | Buffer, ImportFormat, string]>([
  ['UTF-16', Buffer.from(text, 'utf16le'), 'csv', utf16],
  ['UTF-16 without a mark', Buffer.from(text.slice(1), 'utf16le'), 'csv', utf16],
  ['UTF-16 of the other order', Buffer.from(text, 'utf16le').swap16(), 'json', utf16],
  [
    'gzip',
    gzipSync(text),
    'ndjson',
    'the file is compressed with gzip; unpack it, or send it with Content-Encoding: gzip',
  ],
  ['a workbook', 'PK\u0003\u0004', 'csv', 'the file is a workbook or another archive; save it as CSV'],
  ['no JSON', '\n', 'json', 'the file is empty; an array of objects is expected'],
  [
    'NDJSON',
    '{"a":1}\n{"a":2}\n',
    'json',
    'the file is not an array of objects; where it has one object a line, its format is ndjson',
  ],
])('%s is refused with what would be right', async (_, content, format, message) => {
  const { rows } = await read(content, { format });
  expect(rows.map(([, problem]) => problem)).toEqual([message]);
});

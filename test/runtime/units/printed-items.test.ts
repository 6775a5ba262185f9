/** One item of an export, and an export without items, in each format. */
import { expect, it } from 'vitest';
import { exportFormats } from '../../../contract/export-formats.js';
import { plainFields } from '../../../runtime/response/export/csv.js';
import { createPrinter, printItem } from '../../../runtime/response/export/formats.js';

const csv = { ...plainFields, columns: null };
const words = Array.from({ length: 40 }, () => 'word').join(' ');

it('a long text is one line of YAML', () => {
  expect(String(printItem('yaml', Buffer.from(JSON.stringify({ note: words })), csv))).toBe(
    `note: ${words}\n`,
  );
});

it('an export without items is a document of its format', () => {
  const empty = exportFormats.map((format) => [format, createPrinter(format, csv).end()]);
  expect(Object.fromEntries(empty)).toEqual({
    json: '[]',
    ndjson: '',
    csv: '',
    csv_utf8: '',
    xml: "<?xml version='1.0'?>\n<data/>",
    yaml: '[]\n',
  });
});

/** The formats of exports: how they are called over HTTP, and what prints them. */
import { dump } from 'js-yaml';
import type { ExportFormat } from '../../../contract/export-formats.js';
import { printCsvRow, printHeader, toCells, type CsvFields } from './csv.js';
import { parseItems, toLines, type ExportedItem, type ExportPrinter } from './printer.js';
import { printElement } from './xml.js';

interface FormatRecord {
  readonly contentType: string;
  readonly extension: string;
}

export const formats: Readonly<Record<ExportFormat, FormatRecord>> = {
  json: { contentType: 'application/json; charset=utf-8', extension: 'json' },
  ndjson: { contentType: 'application/x-ndjson; charset=utf-8', extension: 'ndjson' },
  csv: { contentType: 'text/csv; charset=utf-8', extension: 'csv' },
  csv_utf8: { contentType: 'text/csv; charset=utf-8', extension: 'csv' },
  xml: { contentType: 'text/xml; charset=utf-8', extension: 'xml' },
  yaml: { contentType: 'text/yaml; charset=utf-8', extension: 'yaml' },
};

/** Facts of the items that the CSV format needs. */
export interface CsvOptions extends CsvFields {
  /** Columns, where items differ in theirs; null where those of the first item are those of all. */
  readonly columns: Iterable<string> | null;
}

/** Creates the printer of a list. */
export const createPrinter = (format: ExportFormat, csv: CsvOptions): ExportPrinter => {
  switch (format) {
    case 'json':
      return printBetween({ start: '[', between: ',', end: ']' }, (rows) => rows);
    case 'ndjson':
      return printBetween({ start: '', between: '\n', end: '\n', none: '' }, toLines);
    case 'xml':
      return printBetween(
        { start: `${xmlHead}<data>\n`, between: '', end: '</data>', none: `${xmlHead}<data/>` },
        (rows) => printElement('data', parseItems(rows), 1),
      );
    case 'yaml':
      return printBetween({ start: '', between: '', end: '', none: '[]\n' }, (rows) =>
        toYaml(parseItems(rows)),
      );
    case 'csv':
    case 'csv_utf8':
      return createCsvPrinter(format === 'csv' ? '' : byteOrderMark, csv);
  }
};

/**
 * Prints one item instead of a list. CSV has a header row, and `csv_utf8` a byte order mark.
 * @param item JSON of the item
 */
export const printItem = (format: ExportFormat, item: Buffer, csv: CsvOptions): Buffer | string => {
  switch (format) {
    case 'json':
      return item;
    case 'xml':
      return xmlHead + printElement('data', parseOne(item), 0).trimEnd();
    case 'yaml':
      return toYaml(parseOne(item));
    default: {
      const printer = createPrinter(format, csv);
      return String(printer.print(item)) + printer.end();
    }
  }
};

const xmlHead = "<?xml version='1.0'?>\n";
const byteOrderMark = '\uFEFF';

const parseOne = (item: Buffer): ExportedItem => parseItems(item)[0] ?? {};

const toYaml = (value: unknown): string => dump(value, { lineWidth: -1, noRefs: true });

interface Frame {
  readonly start: string;
  readonly between: string;
  readonly end: string;
  /** The whole of an export without items; `start` and `end` when absent. */
  readonly none?: string;
}

const printBetween = (
  { start, between, end, none = start + end }: Frame,
  print: (rows: Buffer) => Buffer | string,
): ExportPrinter => {
  let isFirst = true;
  return {
    print(rows) {
      const before = isFirst ? start : between;
      isFirst = false;
      const printed = print(rows);
      if (typeof printed === 'string') return before + printed;
      return before === '' ? printed : Buffer.concat([Buffer.from(before), printed]);
    },
    end: () => (isFirst ? none : end),
  };
};

const createCsvPrinter = (mark: string, { columns: known, ...fields }: CsvOptions): ExportPrinter => {
  let columns: readonly string[] | null = null;
  return {
    print(rows) {
      const items = parseItems(rows).map((item) => toCells(item, fields));
      const head = columns === null ? mark : '\n';
      const lines: string[] = [];
      if (columns === null) {
        columns = [...(known ?? items[0]?.keys() ?? [])];
        lines.push(printHeader(columns));
      }
      for (const item of items) lines.push(printCsvRow(item, columns, fields));
      return head + lines.join('\n');
    },
    end: () => '',
  };
};

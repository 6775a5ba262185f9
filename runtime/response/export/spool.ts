/** Prints CSV whose columns are known only after the last item: items wait in a temporary file until then. */
import { openSpool } from '../../concurrency/spool.js';
import type { ExportFormat } from '../../../contract/export-formats.js';
import { toCells, type CsvFields } from './csv.js';
import { createPrinter } from './formats.js';
import { parseItems } from './printer.js';

/** @param chunks JSON objects, separated by commas */
export async function* printSpooled(
  format: ExportFormat,
  chunks: AsyncIterable<Buffer>,
  fields: CsvFields,
): AsyncGenerator<Buffer | string, void, void> {
  const columns = new Set<string>();
  const spool = await openSpool();
  try {
    for await (const rows of chunks) {
      addColumns(rows, columns, fields);
      await spool.write(rows);
    }
    const printer = createPrinter(format, { ...fields, columns });
    for await (const { chunk } of spool.chunks()) yield printer.print(chunk);
    yield printer.end();
  } finally {
    await spool.close();
  }
}

/** Adds the columns of some items, in order of appearance. */
export const addColumns = (rows: Buffer, columns: Set<string>, fields: CsvFields): void => {
  for (const item of parseItems(rows)) for (const name of toCells(item, fields).keys()) columns.add(name);
};

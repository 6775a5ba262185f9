/** Prints CSV whose columns are known only after the last item: items wait in a temporary file until then. */
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExportFormat } from '../../../contract/export-formats.js';
import { toCells } from './csv.js';
import { createPrinter, type CsvOptions } from './formats.js';
import { parseItems } from './printer.js';

/** @param chunks JSON objects, separated by commas */
export async function* printSpooled(
  format: ExportFormat,
  chunks: AsyncIterable<Buffer>,
  { digits }: Pick<CsvOptions, 'digits'>,
): AsyncGenerator<Buffer | string, void, void> {
  const columns = new Set<string>();
  const sizes: number[] = [];
  const folder = await mkdtemp(join(tmpdir(), 'svc-export-'));
  try {
    const file = await open(join(folder, 'items'), 'w+', 0o600);
    try {
      for await (const rows of chunks) {
        addColumns(rows, columns);
        await file.write(rows);
        sizes.push(rows.length);
      }
      const printer = createPrinter(format, { columns, digits });
      let position = 0;
      for (const size of sizes) {
        const { buffer } = await file.read({ buffer: Buffer.alloc(size), position });
        position += size;
        yield printer.print(buffer);
      }
      yield printer.end();
    } finally {
      await file.close();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Adds the columns of some items, in order of appearance. */
export const addColumns = (rows: Buffer, columns: Set<string>): void => {
  for (const item of parseItems(rows)) for (const name of toCells(item).keys()) columns.add(name);
};

/**
 * Runs an import in a process of its own, which prints how far it is; or an export, which stops after it has read its second
 * page, and says so.
 */
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { openDatabase } from '../../../runtime/databases/open.js';
import { runImport, watchPages, type RunImportOptions } from './run-import.js';

const [url = '', folder = '', files = '', request = ''] = process.argv.slice(2);
const { collections: declarations } = (await import(join(folder, 'server.mjs'))) as {
  readonly collections: RunImportOptions['declarations'];
};
const database = await openDatabase({ url });
let pages = 0;
const stopAtSecond = async (): Promise<void> => {
  pages += 1;
  if (pages < 2) return;
  process.stdout.write('second page\n');
  // until it is killed
  await setTimeout(600_000);
};
await runImport({
  database: watchPages(database, stopAtSecond),
  declarations,
  files,
  request,
  progress: (state) => process.stdout.write(`${JSON.stringify(state)}\n`),
});
process.exit(0);

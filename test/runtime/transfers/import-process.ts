/** Runs an import in a process of its own, which prints how far it is. */
import { join } from 'node:path';
import { openDatabase } from '../../../runtime/databases/open.js';
import { runImport, type RunImportOptions } from './run-import.js';

const [url = '', folder = '', files = '', request = ''] = process.argv.slice(2);
const { collections: declarations } = (await import(join(folder, 'server.mjs'))) as {
  readonly collections: RunImportOptions['declarations'];
};
const database = await openDatabase({ url });
await runImport({
  database,
  declarations,
  files,
  request,
  progress: (state) => process.stdout.write(`${JSON.stringify(state)}\n`),
});
process.exit(0);

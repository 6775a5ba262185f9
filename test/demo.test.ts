/** The committed output is what the demo database and the spec give, byte for byte. */
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { generate } from '../generator/main.js';
import { runBootstrap } from '../runtime/commands/bootstrap.js';
import { loadConfig } from '../runtime/config/config.js';
import { loadChinook } from '../runtime/demo/chinook.js';
import { catalogReader, createTestDatabase } from './databases.js';

const folder = (name: string): string => fileURLToPath(new URL(`../${name}`, import.meta.url));

it('generated/ is current', async () => {
  const test = await createTestDatabase('sqlite', {});
  try {
    await loadChinook(test.database);
    await runBootstrap(test.database, loadConfig({}), () => {});
    const reader = catalogReader(test.database);
    const report = await generate({
      reader,
      specFolders: [folder('spec')],
      out: folder('generated'),
      check: true,
      forPackage: true,
    });
    expect({ written: report.written, removed: report.removed }).toEqual({ written: [], removed: [] });
  } finally {
    await test.drop();
  }
});

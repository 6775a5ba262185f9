/** Names of the files that functions save. */
import { expect, it } from 'vitest';
import { createDirectoryStore } from '../../runtime/queue/requests/files.js';
import { createRunFiles } from '../../runtime/queue/requests/run-files.js';
import { filesDir, testRequest } from './run-once.js';

const files = createRunFiles(testRequest, {
  files: createDirectoryStore(filesDir),
  settings: { publicUrl: () => 'http://test', secrets: [Buffer.from('secret')], fileTtl: 60_000 },
  ttl: null,
});

it.each(['über.txt', 'a b.txt', '../a.txt', '.hidden', '-a', '', 'a'.repeat(129)])(
  'a name that is refused, %j, is in the error, with every rule',
  async (name) => {
    const saved = files.adopt({ name, contentType: 'text/plain', spooled: 'none' });
    await expect(saved).rejects.toThrow(
      `${JSON.stringify(name)} is not a file name: write up to 128 letters from a to z, digits and "._-", ` +
        'with a letter, digit or "_" first, and no path',
    );
    expect(files.count()).toBe(0);
  },
);

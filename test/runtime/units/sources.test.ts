import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { sourcesOf } from '../../../runtime/processes/sources.js';

const folder = mkdtempSync(join(tmpdir(), 'svc-sources-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('the sources of a module are itself and its relative imports', () => {
  const write = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const files = [
    write(
      'model.ts',
      "import { a } from './a.js';\nimport pack from 'pack';\nconst b = await import('./b.js');",
    ),
    write('a.ts', "export { model } from './model.js';\nimport './c';"),
    write('b.js', ''),
    write('c.mjs', ''),
  ];
  write('unrelated.ts', '');
  expect(sourcesOf([join(folder, 'model.js'), join(folder, 'missing.js')])).toEqual(files.toSorted());
});

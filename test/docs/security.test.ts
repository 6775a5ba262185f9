/** Every file and title in the table of `SECURITY.md` exists. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { packageRoot } from '../../runtime/config/package.js';

const table = readFileSync(join(packageRoot, 'SECURITY.md'), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| '));

/** Each file of the last column with its titles, which may contain `"%s"`. */
const references = table.flatMap((line) =>
  Array.from((line.split('|').at(-2) ?? '').matchAll(/`([\w./-]+)`([^`]*)/g), ([, file = '', text = '']) => ({
    file,
    titles: Array.from(text.matchAll(/"((?:"%s"|[^"])+)"/g), ([, title = '']) => title),
  })),
);

it.each(references)('SECURITY.md refers to existing tests of $file', ({ file, titles }) => {
  const source = readFileSync(join(packageRoot, 'test', 'runtime', `${file}.test.ts`), 'utf8');
  expect(titles.filter((title) => !source.includes(title))).toEqual([]);
});

it('SECURITY.md has a test for every attack', () => {
  expect(references.length).toBeGreaterThanOrEqual(table.length);
});

/** The style of comments, messages and documents, as far as a pattern can tell. CONTRIBUTING.md has the rules. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { packageRoot } from '../runtime/config/package.js';

const folders = ['contract', 'generator', 'runtime', 'models', 'client', 'spec', 'mail', 'docs', 'demo'];
const pages = ['README.md', 'SECURITY.md', 'CONTRIBUTING.md', 'CHANGELOG.md'];

const paths = [
  ...pages,
  ...folders.flatMap((folder) =>
    readdirSync(join(packageRoot, folder), { recursive: true, encoding: 'utf8' })
      .filter((path) => /\.(?:ts|yaml|md|liquid)$/.test(path))
      .map((path) => join(folder, path)),
  ),
];

const texts = paths.map((path) => ({ path, text: readFileSync(join(packageRoot, path), 'utf8') }));

/** Lines that contain a pattern, as `path:line: text`. */
const linesWith = (pattern: RegExp): readonly string[] =>
  texts.flatMap(({ path, text }) =>
    text
      .split('\n')
      .flatMap((line, index) => (pattern.test(line) ? [`${path}:${index + 1}: ${line.trim()}`] : [])),
  );

describe('comments, messages and documents', () => {
  it.each([
    ['"who may"', /\bwho may\b/],
    ['"told"', /\btold\b/],
    ['"one of these"', /\bone of these\b/],
    ['a first word "What"', /^\s*(?:\/\*\*|\*)\s*What\b/],
  ])('do without %s', (_, pattern) => {
    expect(linesWith(pattern)).toEqual([]);
  });
});

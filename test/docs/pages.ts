/** The pages that people read, and the blocks of code in them. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../runtime/config/package.js';

export interface Page {
  /** `docs/access.md` */
  readonly path: string;
  readonly text: string;
  readonly blocks: readonly Block[];
}

export interface Block {
  readonly language: string;
  readonly text: string;
  /** Line of the opening fence. */
  readonly line: number;
  /** From the comment `<!-- not run: … -->` above the block; null where it is run. */
  readonly reason: string | null;
}

const fenced = /(?:^<!-- not run: ([^\n]+?) -->\n\n?)?^```([^\n]*)\n([^]*?)^```$/gm;

const blocksOf = (text: string): readonly Block[] =>
  Array.from(text.matchAll(fenced), ([whole, reason = null, language = '', content = '']) => ({
    language,
    text: content,
    line: text.slice(0, text.indexOf(whole)).split('\n').length + (reason === null ? 0 : 1),
    reason,
  }));

const readPage = (path: string): Page => {
  const text = readFileSync(join(packageRoot, path), 'utf8');
  return { path, text, blocks: blocksOf(text) };
};

const markdownIn = (folder: string): string[] =>
  readdirSync(join(packageRoot, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .sort()
    .map((name) => `${folder}/${name}`);

export const pages: readonly Page[] = ['README.md', ...markdownIn('docs')].map(readPage);

/** The pages that are generated for the tables and models of the demo. */
export const generatedPages: readonly Page[] = markdownIn('generated/docs').map(readPage);

/** Returns the path that the first line of a block names, as in `# spec/api.yaml`, or null. */
export const fileOf = ({ text }: Block): string | null =>
  /^(?:#|\/\/) ((?:spec|models|inference)[\w./-]*\.\w+)$/m.exec(text.split('\n')[0] ?? '')?.[1] ?? null;

/** Runs the commands of a page and compares what they print with the comments below them. */
import { spawn } from 'node:child_process';
import { program, shortLived } from '../runtime/commands.js';
import type { Block } from './pages.js';

const separator = '\u001e';

/** `curl` ends its output with a line break and fails loudly; `npx svc` is what was built here. */
const prelude = `set -eo pipefail
curl() { command curl -sS -w '\\n' "$@"; }
npx() { shift; node ${shortLived.join(' ')} '${program}' "$@"; }
trap 'kill $(jobs -p) 2>/dev/null || true' EXIT
`;

export interface Shell {
  readonly directory: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** Runs blocks one after another in one shell. @returns what each printed; @throws Error where a command fails */
export const runBlocks = async (blocks: readonly Block[], shell: Shell): Promise<readonly string[]> => {
  const script = prelude + blocks.map(({ text }) => `${text}\nprintf '${separator}'\n`).join('');
  const child = spawn('bash', ['-c', script], { cwd: shell.directory, env: shell.environment });
  let [output, complaints] = ['', ''];
  child.stdout.on('data', (chunk) => (output += chunk));
  child.stderr.on('data', (chunk) => (complaints += chunk));
  const code = await new Promise((resolve) => child.once('close', resolve));
  const printed = output.split(separator).slice(0, -1);
  if (code === 0) return printed;
  const line = blocks[printed.length]?.line;
  throw new Error(`the block at line ${line} ends with ${String(code)}: ${complaints}\n${output}`);
};

/**
 * Returns the lines that a block says its commands print: a comment that begins with `{` or `[`, and comments below it
 * that are indented. `…` stands for anything.
 */
const expectedOf = ({ text }: Block): readonly string[] =>
  Array.from(text.matchAll(/^# ([{[].*(?:\n# {2,}.*)*)/gm), ([, said = '']) => said.replaceAll('\n#', ''));

const withoutBlanks = (text: string): string => text.replaceAll(/\s/g, '');

const patternOf = (expected: string): RegExp =>
  new RegExp(`^${withoutBlanks(expected).split('…').map(escape).join('.*')}$`);

const escape = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** Returns what differs: a line that was not printed, or an error that the page does not show. */
export const compareOutput = (block: Block, printed: string): readonly string[] => {
  const lines = printed.split('\n').filter((line) => line.trim() !== '');
  const missing: string[] = [];
  for (const expected of expectedOf(block)) {
    const at = lines.findIndex((line) => patternOf(expected).test(withoutBlanks(line)));
    if (at === -1) missing.push(`line ${block.line}: not printed: ${expected}\nbut: ${lines.join('\n')}`);
    else lines.splice(at, 1);
  }
  const errors = lines.filter((line) => /^\{"(?:errors|detail)"/.test(line));
  return [...missing, ...errors.map((error) => `line ${block.line}: an error: ${error}`)];
};

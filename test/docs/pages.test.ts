/** Every page has valid links, blocks that run, and tables that match the code. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { operatorNames } from '../../contract/operators.js';
import { accessCommand } from '../../runtime/commands/access.js';
import { activityCommand } from '../../runtime/commands/activity.js';
import { bootstrapCommand } from '../../runtime/commands/bootstrap.js';
import { demoCommand } from '../../runtime/commands/demo.js';
import { devCommand } from '../../runtime/commands/dev.js';
import { doctorCommand } from '../../runtime/commands/doctor.js';
import { generateCommand } from '../../runtime/commands/generate.js';
import { keysCommand } from '../../runtime/commands/keys.js';
import { deliveriesCommand } from '../../runtime/commands/deliveries.js';
import { modelCommand } from '../../runtime/commands/model.js';
import { requestsCommand } from '../../runtime/commands/requests.js';
import { workersCommand } from '../../runtime/commands/workers.js';
import { schemaCommand } from '../../runtime/commands/schema/index.js';
import { startCommand } from '../../runtime/commands/start.js';
import { exportCommand } from '../../runtime/commands/transfers/export.js';
import { importCommand } from '../../runtime/commands/transfers/import.js';
import { usersCommand } from '../../runtime/commands/users.js';
import { webhooksCommand } from '../../runtime/commands/webhooks.js';
import { workerCommand } from '../../runtime/commands/worker.js';
import { packageRoot } from '../../runtime/config/package.js';
import { families, type Family } from '../../runtime/metrics/families.js';
import { shownVariables, variables } from '../../runtime/config/variables.js';
import { pages, type Page } from './pages.js';

const pageOf = (path: string): Page => {
  const page = pages.find((each) => each.path === path);
  if (page === undefined) throw new Error(`${path} is missing`);
  return page;
};

/** As GitHub makes them of headings. */
const anchorsOf = ({ text }: Page): readonly string[] =>
  Array.from(text.matchAll(/^#+ (.*)$/gm), ([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );

describe.each(pages)('$path', (page) => {
  it('links to existing files and headings', () => {
    const prose = page.text.replaceAll(/^```[^]*?^```$/gm, '');
    const targets = Array.from(prose.matchAll(/\]\(([^)\s]+)\)/g), ([, target = '']) => target);
    const broken = targets.filter((target) => {
      if (/^https?:/.test(target)) return false;
      const [path = '', anchor] = target.split('#');
      const file = path === '' ? page.path : join(dirname(page.path), path);
      if (!existsSync(join(packageRoot, file))) return true;
      const linked = pages.find((each) => each.path === file);
      return anchor !== undefined && linked !== undefined && !anchorsOf(linked).includes(anchor);
    });
    expect(broken).toEqual([]);
  });

  it('runs each block or gives the reason not to', () => {
    const run = new Set(['sh', 'ts', 'yaml', 'js', 'json', 'graphql']);
    const silent = page.blocks.filter(({ language, reason }) => reason === null && !run.has(language));
    expect(silent.map(({ line, language }) => `line ${line}: ${language}`)).toEqual([]);
  });

  it('shows JSON that can be parsed', () => {
    const texts = page.blocks.filter(({ language }) => language === 'json').map(({ text }) => text);
    for (const text of texts) expect(JSON.parse(text)).toBeTypeOf('object');
  });
});

it('the README is short', () => {
  expect(pageOf('README.md').text.split('\n').length).toBeLessThanOrEqual(250);
});

it('every page is linked from the README', () => {
  const { text } = pageOf('README.md');
  const missing = pages.filter(({ path }) => path !== 'README.md' && !text.includes(`](${path})`));
  expect(missing.map(({ path }) => path)).toEqual([]);
});

it('docs/environment.md lists every secret that can be read from a file', () => {
  const [, said = ''] = /by their name and `_FILE`: ([^.]*)\./.exec(pageOf('docs/environment.md').text) ?? [];
  const secrets = Object.entries(variables).filter(([, variable]) => 'secret' in variable);
  expect(Array.from(said.matchAll(/`([^`]+)`/g), ([, name]) => name).sort()).toEqual(
    secrets.map(([name]) => name).sort(),
  );
});

it('docs/querying.md explains every operator, in the order of the code', () => {
  const rows = pageOf('docs/querying.md')
    .text.split('\n')
    .filter((line) => line.startsWith('| `_'));
  const named = rows.flatMap((row) =>
    Array.from((row.split('|')[1] ?? '').matchAll(/`_(\w+)`/g), ([, name]) => name),
  );
  expect(named, 'the rows of the operators in docs/querying.md').toEqual(operatorNames);
});

/** The message of a table that differs. */
const howToUpdate =
  '`UPDATE=docs npx vitest run test/docs/pages.test.ts` writes the rows; then `npx oxfmt docs`';

/** Replaces the rows of the table with these columns where `UPDATE=docs` says so; format the page afterwards. */
const tableOf = (path: string, head: string, rows: readonly string[]): readonly string[] => {
  const { text } = pageOf(path);
  const found = new RegExp(`(?<=^\\| ${head} .*\\n\\| -+ .*\\n)(?:\\|.*\\n)+`, 'm').exec(text)?.[0] ?? '';
  if (process.env.UPDATE === 'docs') {
    writeFileSync(
      join(packageRoot, path),
      text.replace(found, () => `${rows.join('\n')}\n`),
    );
  }
  return found.replaceAll(/ {2,}/g, ' ').trimEnd().split('\n');
};

it('docs/environment.md contains the table of variables', () => {
  const rows = shownVariables.map(
    ({ name, default: preset, meaning }) => `| \`${name}\` | ${preset} | ${meaning} |`,
  );
  expect(tableOf('docs/environment.md', 'variable', rows), howToUpdate).toEqual(rows);
});

it('docs/operations/metrics.md contains the table of metrics', () => {
  const rows = Object.values<Family>(families).map(({ name, type, labels, help, merge }) => {
    const shown = labels.map((label) => `\`${label}\``).join(', ') || '—';
    return `| \`${name}\` | ${merge === undefined ? type : `${type}, ${merge}`} | ${shown} | ${help} |`;
  });
  expect(tableOf('docs/operations/metrics.md', 'metric', rows), howToUpdate).toEqual(rows);
});

const commands: readonly Command[] = [
  demoCommand(),
  devCommand(),
  doctorCommand(),
  bootstrapCommand(),
  generateCommand(),
  startCommand(),
  workerCommand(),
  workersCommand(),
  modelCommand(),
  importCommand(),
  exportCommand(),
  requestsCommand(),
  deliveriesCommand(),
  usersCommand(),
  accessCommand(),
  activityCommand(),
  keysCommand(),
  schemaCommand(),
  webhooksCommand(),
];

const rowOf = (command: Command, before: string): string => {
  const words = command.registeredArguments.map((argument) => argument.name().toUpperCase());
  const flags = command.options.map(({ flags }) => `\`${flags.replaceAll('|', '\\|')}\``);
  const usage = [before, command.name(), ...words].join(' ');
  return `| \`${usage}\` | ${flags.join(' ') || '—'} | ${command.description()} |`;
};

it('docs/commands.md contains the table of commands and options', () => {
  const rows = commands.flatMap((command) =>
    command.commands.length === 0
      ? [rowOf(command, 'svc')]
      : command.commands.map((inner) => rowOf(inner, `svc ${command.name()}`)),
  );
  expect(tableOf('docs/commands.md', 'command', rows), howToUpdate).toEqual(rows);
});

it('the table of commands is complete', () => {
  const cli = readFileSync(join(packageRoot, 'runtime', 'cli.ts'), 'utf8');
  const names = Array.from(cli.matchAll(/^ {2}\['([\w-]+)', async/gm), ([, name]) => name);
  expect(commands.map((command) => command.name()).sort()).toEqual(names.sort());
});

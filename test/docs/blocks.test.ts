/** Every command and program of the pages does what they say, against one demo that serves their files. */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { packageRoot } from '../../runtime/config/package.js';
import { createNamespace } from '../queue/namespaces.js';
import { createWorkplace, type Running, type Workplace } from '../runtime/commands.js';
import { reservePort } from '../services/ports.js';
import { fileOf, generatedPages, pages, type Block, type Page } from './pages.js';
import { compilePrograms, runProgram } from './programs.js';
import { compareOutput, runBlocks } from './shell.js';

const isRun = ({ reason }: Block): boolean => reason === null;
const blocksIn = (page: Page, language: string): readonly Block[] =>
  page.blocks.filter((block) => block.language === language && isRun(block));
const commandsOf = (page: Page): readonly Block[] => blocksIn(page, 'sh');
const withCommands = pages.filter((page) => commandsOf(page).length > 0);
const programOf = (page: Page): string =>
  blocksIn(page, 'ts')
    .filter((block) => fileOf(block) === null)
    .map(({ text }) => text)
    .join('\n');

const nameOf = ({ path }: Page): string =>
  path.replace('docs/', '').replaceAll('/', '-').replace('.md', '.ts');

let place: Workplace;
let demo: Running;
/** Ports of the pages, and those that stand for them here. */
let ports: ReadonlyMap<string, string>;
let environment: Readonly<Record<string, string>>;

const withPorts = (text: string): string =>
  [...ports].reduce((changed, [from, to]) => changed.replaceAll(new RegExp(`\\b${from}\\b`, 'g'), to), text);
const moved = (block: Block): Block => ({ ...block, text: withPorts(block.text) });

/** Writes the files of a project that the pages show, and what `npm install` would put beside them. */
const install = ({ directory }: Workplace): void => {
  mkdirSync(join(directory, 'node_modules', '@svc-api'), { recursive: true });
  symlinkSync(packageRoot, join(directory, 'node_modules', '@svc-api', 'svc'));
  writeFileSync(join(directory, 'package.json'), '{ "type": "module" }\n');
  for (const block of pages.flatMap(({ blocks }) => blocks).filter(isRun)) {
    const file = fileOf(block);
    if (file === null) continue;
    mkdirSync(join(directory, dirname(file)), { recursive: true });
    writeFileSync(join(directory, file), withPorts(block.text));
  }
};

/** Output of the blocks of each page, by its path. */
const printed = new Map<string, PromiseSettledResult<readonly string[]>>();

/** Runs the commands of all pages in their order, because programs and later pages use what they create. */
const runCommands = async (): Promise<void> => {
  for (const page of withCommands) {
    const blocks = commandsOf(page).map(moved);
    const [result] = await Promise.allSettled([
      runBlocks(blocks, { directory: place.directory, environment }),
    ]);
    printed.set(page.path, result);
  }
};

beforeAll(async () => {
  ports = new Map([
    ['8080', String(await reservePort())],
    ['9100', String(await reservePort())],
  ]);
  place = createWorkplace({ sharesBuilds: false });
  install(place);
  const given = {
    PORT: ports.get('8080') ?? '',
    ADMIN_TOKEN: 'the-token-of-the-administrator',
    ADMIN_PASSWORD: 'the-password-of-the-administrator',
    INFERENCE_URL: `http://127.0.0.1:${ports.get('9100')}`,
  };
  demo = place.start(['demo'], {
    ...given,
    TEMPORAL_ADDRESS: inject('services').temporal,
    TEMPORAL_NAMESPACE: await createNamespace(),
  });
  const [, KEY = ''] = await demo.until(/^ {2}key +(\S+)$/m);
  environment = { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', ...given, KEY };
  await runCommands();
});
afterAll(async () => {
  await demo?.stop('SIGTERM');
  place?.remove();
});

describe('the commands', () => {
  it.each(withCommands)('of $path succeed and print the shown output', (page) => {
    const result = printed.get(page.path);
    if (result?.status !== 'fulfilled') throw result?.reason;
    const blocks = commandsOf(page).map(moved);
    expect(blocks.flatMap((block, index) => compareOutput(block, result.value[index] ?? ''))).toEqual([]);
  });
});

/** Nothing outside of this machine receives a webhook. */
const withoutWebhook = (block: Block): Block => ({
  ...block,
  text: block.text.replace(/\?svc_webhook=[^"]+/, ''),
});

it('the requests of the generated pages are answered without errors', async () => {
  const blocks = generatedPages.flatMap(commandsOf).map(withoutWebhook);
  const values = { URL: `http://127.0.0.1:${ports.get('8080')}`, TOKEN: environment.ADMIN_TOKEN ?? '' };
  const settings = blocks.filter(({ text }) => text.startsWith('URL='));
  const requests = blocks.filter((block) => !settings.includes(block));
  expect(settings).toHaveLength(1);
  const results = await runBlocks(requests, {
    directory: place.directory,
    environment: { ...environment, ...values },
  });
  expect(requests.flatMap((block, index) => compareOutput(block, results[index] ?? ''))).toEqual([]);
  const isAnswer = /^\{"(?:data":[[{]|status":"IN_QUEUE")/;
  expect(results.filter((result) => !isAnswer.test(result.trim()))).toEqual([]);
});

it.each(pages.flatMap((page) => blocksIn(page, 'graphql')))(
  'the GraphQL document at line $line is answered without errors',
  async ({ text }) => {
    const response = await fetch(`http://127.0.0.1:${ports.get('8080')}/graphql`, {
      method: 'POST',
      headers: { authorization: `Bearer ${environment.ADMIN_TOKEN}`, 'content-type': 'application/json' },
      body: JSON.stringify({ query: text, variables: { title: 'Jagged Little Pill' } }),
    });
    expect(await response.json()).not.toHaveProperty('errors');
  },
);

describe('the programs', () => {
  const withPrograms = pages.filter((page) => programOf(page) !== '');
  let compiled: Awaited<ReturnType<typeof compilePrograms>>;
  beforeAll(async () => {
    const programs = withPrograms.map((page): [string, string] => [nameOf(page), withPorts(programOf(page))]);
    const models = pages
      .flatMap((page) => blocksIn(page, 'ts'))
      .map((block): [string, string] => [fileOf(block) ?? '', block.text]);
    compiled = await compilePrograms(
      place.directory,
      new Map([...programs, ...models.filter(([name]) => name !== '')]),
    );
  });

  it('compile', () => {
    expect(compiled.faults).toEqual([]);
  });

  it.each(withPrograms.map(nameOf))('%s succeeds', async (name) => {
    const file = compiled.files.find((path) => path.endsWith(`/${name}`)) ?? '';
    await expect(runProgram(file, environment)).resolves.toBeTypeOf('string');
  });
});

/** The first words of indented lines. */
const wordsOf = (text: string): readonly string[] =>
  text.split('\n').flatMap((line) => /^ {2}([a-z]+) /.exec(line)?.[1] ?? []);

it('the README shows the output of the demo', () => {
  const shown = pages[0]?.blocks.find(({ text }) => text.includes('ready after'));
  // of a server that the demo starts; this one is given
  const labels = wordsOf(shown?.text ?? '').filter((word) => word !== 'temporal');
  expect(labels.length).toBeGreaterThan(10);
  // later lines are about what the pages have done to the demo
  const [start = ''] = demo.output().split('Press Ctrl-C');
  expect(wordsOf(start)).toEqual(labels);
});

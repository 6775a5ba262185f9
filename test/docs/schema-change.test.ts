/** The change of `docs/operations/schema-change.md`, as it is written there: an instance that runs, and the compiler of its client. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { packageRoot } from '../../runtime/config/package.js';
import { tinyScript } from '../runtime/schema/edits.js';
import { createPlace, type Place } from '../runtime/schema/places.js';
import { removeHosts, startHost, type Host } from '../runtime/schema/running-host.js';
import { adminToken } from '../runtime/server-harness.js';
import { pages, type Block } from './pages.js';
import { runBlocks } from './shell.js';

const blocks = pages.find(({ path }) => path === 'docs/operations/schema-change.md')?.blocks ?? [];

let place: Place;
let host: Host;
beforeAll(async () => {
  place = await createPlace('sqlite', tinyScript('sqlite'));
  host = await startHost(place, { workers: 1 });
}, 120_000);
afterAll(async () => {
  removeHosts();
  await place.drop();
});

const linesOf = (text: string): readonly string[] => text.split('\n').filter((line) => line.trim() !== '');

/** Returns the lines that the page shows below a block of commands. */
const shownBelow = (block: Block): readonly string[] => {
  const next = blocks[blocks.indexOf(block) + 1];
  return next?.language === 'text' ? linesOf(next.text) : [];
};

it('is explained, applied and named by the compiler of a client, as the page shows', async () => {
  const { directory } = host.place;
  writeFileSync(join(directory, 'package.json'), '{ "type": "module" }\n');
  writeFileSync(join(directory, 'program.ts'), blocks.find(({ language }) => language === 'ts')?.text ?? '');
  const commands = blocks.filter(({ language }) => language === 'sh');
  const moved = commands.map((block) => ({
    ...block,
    text: block.text.replaceAll('http://127.0.0.1:8080', host.base),
  }));
  const environment = {
    PATH: `${join(packageRoot, 'node_modules', '.bin')}:${process.env.PATH ?? ''}`,
    HOME: process.env.HOME ?? '',
    SVC_TOKEN: adminToken,
  };
  const printed = await runBlocks(moved, { directory, environment });
  const shown = commands.map(shownBelow);
  expect(shown.flat().length).toBeGreaterThan(8);
  for (const [at, lines] of shown.entries()) {
    const got = linesOf(printed[at] ?? '');
    // an apply prints the difference again
    expect(got.slice(-lines.length || got.length)).toEqual(lines);
  }
}, 240_000);

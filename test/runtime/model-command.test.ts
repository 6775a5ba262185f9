/** `svc model new` writes a model that works, and `svc generate` checks what became of it. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { generateCommand } from '../../runtime/commands/generate.js';
import { modelCommand } from '../../runtime/commands/model.js';
import { createBootstrapped } from './harness/bootstrapped.js';
import type { Workplace } from './commands.js';
import { runCommand } from './harness/run-command.js';

let place: Workplace;

beforeAll(async () => {
  place = await createBootstrapped();
});
afterAll(() => place.remove());

const create = (...args: string[]) =>
  runCommand(modelCommand(), { args: ['new', ...args], directory: place.directory, environment: {} });
const generate = async () => {
  const environment = { DATABASE_URL: `sqlite:${join(place.directory, '.svc', 'data.db')}` };
  const args = ['--no-client'];
  const { code, stdout } = await runCommand(generateCommand(), {
    args,
    directory: place.directory,
    environment,
  });
  return { code, faults: stdout.split('\n').filter((line) => line.startsWith('spec/models/')) };
};
const shout = () => join(place.directory, 'models', 'shout.ts');
const write = (text: string): void => writeFileSync(shout(), text);

// in order: one model, and what becomes of it
describe('svc model new', { shuffle: false }, () => {
  it('a new model is generated without a fault', async () => {
    expect(await create('acme/shout')).toMatchObject({
      code: 0,
      stdout:
        'written: spec/models/acme.shout.yaml\nwritten: models/shout.ts\n' +
        'next: svc generate, which writes its types; then svc dev\n',
    });
    expect(await generate()).toEqual({ code: 0, faults: [] });
    const types = readFileSync(join(place.directory, 'generated', 'server', 'queue-models.ts'), 'utf8');
    expect(types).toContain('export type AcmeShoutInput = { text: string };');
  }, 120_000);

  it('a model at an inference server has no function', async () => {
    const { stdout } = await create('acme/deep/count', '--http', '${INFERENCE_URL}/count');
    expect(stdout.match(/^written: .*$/gm)).toEqual(['written: spec/models/acme.deep.count.yaml']);
  });

  it('existing files are not overwritten, and ids that cannot be served are rejected', async () => {
    expect(await create('acme/shout')).toMatchObject({
      code: 1,
      stderr: 'svc: spec/models/acme.shout.yaml and models/shout.ts exist already; choose another id\n',
    });
    for (const id of ['shout', 'Acme/shout', 'run/shout', 'acme/requests', '../shout', 'svc/shout'])
      expect([id, (await create(id)).code]).toEqual([id, 1]);
    expect(await create('acme/far', '--http', 'models.example.com')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('--http has to begin with http:// or https://'),
    });
  });

  const expected = 'expected export const run: RunModel<AcmeShoutInput, AcmeShoutOutput>';
  const fault = 'spec/models/acme.shout.yaml: ';

  it.each([
    [
      'a result of another type',
      'export const run = async ({ text }: { text: string }) => ({ text: text.length });',
      `"run" of ./models/shout.ts does not fit the schemas: Type 'number' is not assignable to type 'string'.; ${expected}`,
    ],
    [
      'an input that the schema does not have',
      'export const run = ({ text, size }: { text: string; size: number }) => ({ text: text.repeat(size) });',
      `"run" of ./models/shout.ts does not fit the schemas: Property 'size' is missing in type 'AcmeShoutInput' but required in type '{ text: string; size: number; }'.; ${expected}`,
    ],
    [
      'no function',
      'export const walk = () => ({ text: "" });',
      `./models/shout.ts exports no function "run"; ${expected}`,
    ],
  ])('%s is a fault of the model, after its types are written', async (_, text, message) => {
    write(text);
    expect(await generate()).toEqual({ code: 1, faults: [fault + message] });
  });

  it('an error of syntax is a fault, at its place', async () => {
    write('export const run = () => {\n  return {;\n};');
    const message = 'models/shout.ts:2:11: Property assignment expected. Correct the syntax';
    expect(await generate()).toEqual({ code: 1, faults: [fault + message] });
  });

  it('a function with types of its own may fit', async () => {
    write('export const run = ({ text }: { text: string }) => ({ text });');
    expect(await generate()).toEqual({ code: 0, faults: [] });
  });

  it('a module that does not exist is a fault, and its types are written nevertheless', async () => {
    rmSync(shout());
    const generated = join(place.directory, 'generated');
    rmSync(generated, { recursive: true });
    mkdirSync(generated);
    expect(await generate()).toEqual({
      code: 1,
      faults: [
        `${fault}./models/shout.ts does not exist; write it, or run "svc model new acme/shout" for one to begin with`,
      ],
    });
    expect(readFileSync(join(generated, 'server', 'queue-models.ts'), 'utf8')).toContain('AcmeShoutInput');
  });
});

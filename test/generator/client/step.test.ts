/** The client step: when it works, when it does not, and that it always makes the same. */
import { execFile } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { clientDocument } from '../../../generator/client/document.js';
import { makeGraphql } from '../../../generator/client/graphql.js';
import { makeClient } from '../../../generator/client/make.js';
import { buildModel } from '../../../generator/model/build.js';
import { loadSpec } from '../../../generator/spec/load.js';
import type { Catalog } from '../../../generator/introspection/catalog.js';
import { packageRoot } from '../../../runtime/config/package.js';

const tools: ReadonlySet<string> = new Set(['@hey-api', '@graphql-codegen']);

interface Outcome {
  readonly code: number;
  readonly stdout: string;
}

let place: string;
beforeAll(() => {
  place = mkdtempSync(join(tmpdir(), 'svc-step-'));
});
afterAll(() => rmSync(place, { recursive: true, force: true }));

/** `svc generate` of the package in `root`. */
const generate = async (root: string, out: string, flags: readonly string[] = []): Promise<Outcome> => {
  const cli = join(root, 'dist', 'runtime', 'cli.js');
  const given = [
    'generate',
    '--from',
    join(packageRoot, 'generated', 'catalog.json'),
    '--out',
    out,
    ...flags,
  ];
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [cli, ...given], {
      cwd: place,
    });
    return { code: 0, stdout };
  } catch (error) {
    const { code, stdout } = error as { code: number; stdout: string };
    return { code, stdout };
  }
};

/** The committed output as that of a team, without the files that only the package has. */
const copyOutput = (name: string): string => {
  const out = join(place, name);
  cpSync(join(packageRoot, 'generated'), out, { recursive: true });
  const own = ['server/operations.ts', 'server/system-routes.ts', 'server/system-rows.ts'];
  for (const path of own) rmSync(join(out, path));
  const manifest = readFileSync(join(out, '.manifest'), 'utf8').split('\n');
  writeFileSync(join(out, '.manifest'), manifest.filter((path) => !own.includes(path)).join('\n'));
  return out;
};

it('generates the committed files byte for byte', async () => {
  const generated = join(packageRoot, 'generated');
  const catalog = JSON.parse(readFileSync(join(generated, 'catalog.json'), 'utf8')) as Catalog;
  const { model } = buildModel({ catalog, spec: await loadSpec([join(packageRoot, 'spec')]) });
  const schema = (name: string): string =>
    readFileSync(join(generated, 'graphql', `${name}.graphql`), 'utf8');
  const made = await makeClient({
    document: clientDocument(model.api, model.operations),
    schemas: { items: schema('items'), system: schema('system') },
  });
  for (const { path, content } of made)
    expect({ path, content }).toEqual({ path, content: readFileSync(join(generated, path), 'utf8') });
}, 120_000);

it('is skipped for unchanged input', async () => {
  const { code, stdout } = await generate(packageRoot, copyOutput('same'), ['--json']);
  const report = JSON.parse(stdout) as Record<string, unknown>;
  expect({ code, client: report['client'], written: report['written'] }).toEqual({
    code: 0,
    client: 'unchanged',
    written: [],
  });
}, 120_000);

it('regenerates an edited file', async () => {
  const out = copyOutput('edited');
  const file = join('client', 'src', 'rest', 'sdk.gen.ts');
  appendFileSync(join(out, file), '// mine\n');
  const checked = await generate(packageRoot, out, ['--check']);
  expect(checked.code).toBe(1);
  expect(checked.stdout).toContain(`would be written: ${join(out, file)}`);
  const written = await generate(packageRoot, out);
  expect(written.stdout).toMatch(/1 file changed, .* of them for the client\)/);
  expect(readFileSync(join(out, file), 'utf8')).toBe(
    readFileSync(join(packageRoot, 'generated', file), 'utf8'),
  );
}, 240_000);

/** Copies the package to a place whose `node_modules` has all packages of ours but some. */
const installWithout = (left: ReadonlySet<string>): string => {
  const root = mkdtempSync(join(place, 'installed-'));
  for (const name of ['client', 'dist', 'generated', 'spec', 'package.json'])
    cpSync(join(packageRoot, name), join(root, name), { recursive: true });
  mkdirSync(join(root, 'node_modules'));
  for (const name of readdirSync(join(packageRoot, 'node_modules')).filter((name) => !left.has(name)))
    symlinkSync(join(packageRoot, 'node_modules', name), join(root, 'node_modules', name));
  return root;
};

it('does not update the client without the tools, and warns', async () => {
  const root = installWithout(tools);
  const out = copyOutput('left');
  appendFileSync(join(out, 'client', 'src', 'schema.ts'), '// older\n');
  const { code, stdout } = await generate(root, out, ['--check']);
  expect(stdout).toContain('warning: the client was not updated: @hey-api/openapi-ts, ');
  expect(stdout).toContain('are not installed; see "Generating it" in docs/client.md\n');
  expect(stdout).toContain('up to date');
  expect(code).toBe(0);
}, 120_000);

it('does not update the client with a TypeScript that has no API, and warns', async () => {
  const root = installWithout(new Set(['typescript']));
  symlinkSync(join(packageRoot, 'node_modules', 'typescript-7'), join(root, 'node_modules', 'typescript'));
  const { code, stdout } = await generate(root, copyOutput('native'), ['--check']);
  expect(stdout).toContain(
    'warning: the client was not updated: @hey-api/openapi-ts needs TypeScript 5 or 6, and 7.',
  );
  expect(code).toBe(0);
}, 120_000);

const typeOf = (name: string): string => `type ${name} { id: ID!, ${name}: String, other: [${name}] }`;

it('generates documents for collections named like members of Object', async () => {
  const names = ['constructor', 'hasOwnProperty', 'toString'];
  const fields = names.map((name) => `${name}(limit: Int): [${name}]`).join(' ');
  const items = `type Query { ${fields} }\n${names.map(typeOf).join('\n')}`;
  const [module] = await makeGraphql({ items });
  for (const name of names) {
    expect(module?.content).toContain(`export const ${name}Document`);
    expect(module?.content).toContain(`${name}: Array<{ id: string, ${name}: string | null }`);
  }
});

it('gives a mutation with the name of a query an operation of its own', async () => {
  const items = 'type Query { create_a_item: [a] } type Mutation { create_a_item: a } type a { id: ID! }';
  const [module] = await makeGraphql({ items });
  expect(module?.content).toContain('createDocument<create_a_itemQuery,');
  expect(module?.content).toContain('createDocument<create_a_item_Mutation,');
  expect(module?.content).toContain('mutation create_a_item_ { create_a_item { id } }');
});

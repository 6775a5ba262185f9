/** Output of the client emitter for each golden database, which compiles and is formatted. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { format } from 'oxfmt';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clientDocument } from '../../../generator/client/document.js';
import { makeRest } from '../../../generator/client/rest.js';
import { emitClient } from '../../../generator/emitters/client/index.js';
import { buildModel } from '../../../generator/model/build.js';
import type { Model, OutputFile } from '../../../generator/model/types.js';
import { loadSpec } from '../../../generator/spec/load.js';
import type { Catalog } from '../../../generator/introspection/catalog.js';
import { packageRoot } from '../../../runtime/config/package.js';
import { compile } from '../../compiler.js';
import { cases, readTree, type Case } from '../emitters/cases.js';

/** `UPDATE=cases npx vitest run test/generator/client` renews the golden folders; never where CI is set. */
const isUpdate = process.env.UPDATE === 'cases' && !process.env.CI;

const goldenOf = ({ expected }: Case): string => join(expected, '..', 'client');

const buildCase = async ({ sources }: Case): Promise<Model> => {
  const catalog = JSON.parse(readFileSync(sources.from ?? '', 'utf8')) as Catalog;
  return buildModel({ catalog, spec: await loadSpec(sources.specFolders) }).model;
};

/** Those that are not alike for every database. */
const isOwn = ({ path }: OutputFile): boolean => /\/(?:collections|schema|operations)\b/.test(path);

const write = (folder: string, files: readonly OutputFile[]): void => {
  for (const { path, content } of files) {
    const file = join(folder, path.slice('client/'.length));
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
};

const models = new Map(
  await Promise.all(cases.map(async (each) => [each.name, await buildCase(each)] as const)),
);
const modelOf = (name: string): Model => models.get(name) as Model;
const filesOf = (name: string): readonly OutputFile[] => emitClient(modelOf(name));

describe.each(cases)('the client of $name', (each) => {
  beforeAll(() => {
    if (!isUpdate) return;
    rmSync(goldenOf(each), { recursive: true, force: true });
    write(goldenOf(each), filesOf(each.name).filter(isOwn));
  });

  it('has exactly the expected files', () => {
    const made = filesOf(each.name).filter(isOwn);
    const wanted = readTree(goldenOf(each));
    expect(made.map(({ path }) => path.slice('client/'.length)).sort()).toEqual([...wanted.keys()]);
    for (const { path, content } of made)
      expect({ path, content }).toEqual({ path, content: wanted.get(path.slice('client/'.length)) });
  });

  it('passes the formatter', async () => {
    const { $schema: _, ...style } = JSON.parse(readFileSync('.oxfmtrc.json', 'utf8')) as Record<
      string,
      unknown
    >;
    for (const { path, content } of filesOf(each.name).filter((file) => file.path.endsWith('.ts'))) {
      const { code } = await format(path, content, style);
      expect({ path, content }).toEqual({ path, content: code });
    }
  });
});

describe('clients of all cases', () => {
  let folder: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'svc-clients-'));
    for (const { name } of cases) {
      const { api, operations } = modelOf(name);
      write(join(folder, name), [...filesOf(name), ...(await makeRest(clientDocument(api, operations)))]);
    }
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('compile', async () => {
    const { faults } = await compile({
      folder,
      extends: join(packageRoot, 'generated', 'client', 'tsconfig.json'),
      files: cases.map(({ name }) => join(name, 'src', 'index.ts')),
      options: { noEmit: true },
    });
    expect(faults).toEqual([]);
  });
});

import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Catalog, CatalogReader } from '../../generator/introspection/catalog.js';
import { generate, servedTables, type GenerateOptions, type GenerateReport } from '../../generator/main.js';
import type { Spec } from '../../generator/spec/types.js';
import { SpecError } from '../../generator/spec/faults.js';
import { catalogReader, createTestDatabase, dialectsOf, type TestDatabase } from '../databases.js';
import { readTree } from './emitters/cases.js';

const dialects = dialectsOf(import.meta.url);

const baseSpec = 'test/cases/base-spec';

const schema = `
  CREATE TABLE artist (id INTEGER PRIMARY KEY, name VARCHAR(120) NOT NULL);
  CREATE TABLE album (
    id INTEGER PRIMARY KEY,
    title VARCHAR(160) NOT NULL,
    artist INTEGER NOT NULL,
    CONSTRAINT album_artist FOREIGN KEY (artist) REFERENCES artist (id)
  );
  CREATE TABLE draft (id INTEGER PRIMARY KEY);
`;

let folder: string;
let out: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-main-'));
  out = join(folder, 'generated');
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

const write = (path: string, content: string): string => {
  const file = join(folder, path);
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, content);
  return file;
};

const collectionsIn = (generated: string): string[] =>
  (JSON.parse(readFileSync(join(generated, 'catalog.json'), 'utf8')) as Catalog).tables.map(
    ({ name }) => name,
  );

describe.each(dialects)('generate from %s', (dialect) => {
  let test: TestDatabase;
  const run = (options: Partial<GenerateOptions> = {}): Promise<GenerateReport> =>
    generate({
      reader: catalogReader(test.database),
      specFolders: [baseSpec],
      out,
      check: false,
      ...options,
    });

  beforeEach(async () => {
    test = await createTestDatabase(dialect, { sql: schema });
  });
  afterEach(() => test.drop());

  it('writes everything the first time and nothing the second', async () => {
    const first = await run();
    expect(first.written).toEqual([
      '.manifest',
      'catalog.json',
      'docs/album.md',
      'docs/artist.md',
      'docs/draft.md',
      'docs/index.md',
      'graphql/items.graphql',
      'graphql/system.graphql',
      'openapi.json',
      'server/album.ts',
      'server/artist.ts',
      'server/draft.ts',
      'server/errors.ts',
      'server/index.ts',
      'server/queue-models.ts',
      'server/routes.ts',
    ]);
    expect(await run()).toMatchObject({ written: [], removed: [], breaking: [], warnings: [] });
  });

  it('lists with "check" the changes of a changed table and the breaking ones', async () => {
    await run();
    await test.execute('ALTER TABLE artist DROP COLUMN name');
    const report = await run({ check: true });
    expect(report.written).toEqual([
      'catalog.json',
      'docs/artist.md',
      'graphql/items.graphql',
      'openapi.json',
      'server/artist.ts',
    ]);
    expect(report.breaking).toMatchObject([{ kind: 'field removed', subject: 'artist.name' }]);
    expect(readFileSync(join(out, 'server/artist.ts'), 'utf8')).toContain('name:');
  });

  it('introspects once, with "check" as without', async () => {
    const reader = catalogReader(test.database);
    const asked: string[] = [];
    const counting: CatalogReader = {
      ...reader,
      query(sql, values) {
        asked.push(sql);
        return reader.query(sql, values);
      },
    };
    const { catalog } = await run({ reader: counting });
    const written = asked.splice(0);
    expect((await run({ reader: counting, check: true })).catalog).toEqual(catalog);
    expect(asked).toEqual(written);
    expect(new Set(asked).size).toBe(asked.length);
  });

  it('removes the files of a dropped table', async () => {
    await run();
    await test.execute('DROP TABLE draft');
    const report = await run();
    expect(report.removed).toEqual(['docs/draft.md', 'server/draft.ts']);
    expect(report.breaking).toMatchObject([{ kind: 'collection removed', subject: 'draft' }]);
    expect((await run({ check: true })).removed).toEqual([]);
  });

  it('emits the same bytes from the stored catalog as from the database', async () => {
    await run();
    const offline = join(folder, 'offline');
    await generate({ from: join(out, 'catalog.json'), specFolders: [baseSpec], out: offline, check: false });
    expect(readTree(offline)).toEqual(readTree(out));
  });

  it('excludes tables by option or spec, from a stored catalog too', async () => {
    await run();
    const from = join(out, 'catalog.json');
    const spec = join(folder, 'spec');
    cpSync(baseSpec, spec, { recursive: true });
    const api = readFileSync(join(spec, 'api.yaml'), 'utf8');
    writeFileSync(join(spec, 'api.yaml'), `${api}tables: { exclude: ['d*'] }\n`);
    const tablesOf = async (options: Partial<GenerateOptions>): Promise<string[]> => {
      const elsewhere = mkdtempSync(join(folder, 'out-'));
      await run({ ...options, out: elsewhere });
      return collectionsIn(elsewhere);
    };
    expect(await tablesOf({ exclude: ['a*'] })).toEqual(['draft']);
    expect(await tablesOf({ from, include: ['artist'] })).toEqual(['artist']);
    expect(await tablesOf({ specFolders: [spec] })).toEqual(['album', 'artist']);
    expect(await tablesOf({ specFolders: [spec], from })).toEqual(['album', 'artist']);
    expect(await tablesOf({ specFolders: [spec], exclude: ['al*'] })).toEqual(['artist', 'draft']);
  });
});

describe('generate', () => {
  const from = 'test/cases/self-and-double/catalog.json';
  const run = (options: Partial<GenerateOptions> = {}): Promise<GenerateReport> =>
    generate({ from, specFolders: [baseSpec], out, check: false, ...options });

  it('keeps the old output if the spec is invalid', async () => {
    await run();
    const before = readTree(out);
    write('spec/collections/pilot.yaml', 'fields: { nam: { note: Who flies } }\ntypo: 1\n');
    await expect(run({ specFolders: [baseSpec, join(folder, 'spec')] })).rejects.toThrow(SpecError);
    expect(readTree(out)).toEqual(before);
  });

  it('reports an invalid stored catalog', async () => {
    const broken = write('broken.json', '{');
    const other = write('other.json', '[]');
    await expect(run({ from: broken })).rejects.toThrow(`${broken} is not JSON`);
    await expect(run({ from: other })).rejects.toThrow(`${other} is not a catalog; expected a catalog.json`);
    await expect(run({ from: join(folder, 'none.json') })).rejects.toThrow('none.json');
  });

  it('reports that neither database nor catalog is given', async () => {
    await expect(generate({ specFolders: [baseSpec], out, check: false })).rejects.toThrow(
      'pass a database or',
    );
  });

  it('warns and continues if the earlier catalog cannot be read', async () => {
    await run();
    writeFileSync(join(out, 'catalog.json'), '<<<<<<< HEAD\n');
    const report = await run();
    expect(report.written).toEqual(['catalog.json']);
    expect(report.warnings).toEqual([
      expect.stringMatching(/^Breaking changes are unknown: .*catalog\.json/),
    ]);
  });

  it('reports the milliseconds of every step', async () => {
    const { timings } = await run();
    expect(Object.keys(timings)).toEqual([
      'load',
      'read',
      'build',
      'emit',
      'runners',
      'client',
      'compare',
      'write',
    ]);
    expect(Object.values(timings).every((milliseconds) => milliseconds >= 0)).toBe(true);
  });
});

it.each([
  [{}, ['a'], ['b']],
  [{ include: [], exclude: [] }, ['a'], ['b']],
  [{ include: ['c'] }, ['c'], ['b']],
  [{ exclude: ['d'] }, ['a'], ['d']],
])('of the patterns %j those of api.yaml are replaced where there are any', (given, include, exclude) => {
  const spec = { api: { tables: { include: ['a'], exclude: ['b'] } } } as unknown as Spec;
  expect(servedTables(given, spec)).toEqual({ include, exclude });
});

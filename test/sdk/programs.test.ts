/** Programs of client developers, against the packed client: right ones compile and run, wrong ones do not compile. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packageRoot } from '../../runtime/config/package.js';
import { dialectsOf } from '../databases.js';
import { adminToken } from '../runtime/server-harness.js';
import { useServer } from '../runtime/harness/use-server.js';
import { compile, messagesByFile, type Compiled, type CompilerOptions } from '../compiler.js';
import { findNode, nodeVersions } from './nodes.js';
import {
  createProject,
  programsFolder,
  sourcesIn,
  strictest,
  strictestOfPrograms,
  type Project,
} from './package.js';
import { runInBrowser, runInNode, type Outcome } from './run.js';

const right = (await sourcesIn(join(programsFolder, 'right'))).filter((name) => name !== 'exactly.ts');
const wrong = await sourcesIn(join(programsFolder, 'wrong'));

/** The demo for PostgreSQL has names as these are usual there: `album_id` becomes `AlbumId`. */
const renamed = `
do $$
declare found record;
begin
  for found in select table_name, column_name from information_schema.columns where table_schema = 'public' and table_name not like 'svc\\_%' loop
    execute format('alter table %I rename column %I to %I',
      found.table_name, found.column_name, replace(initcap(found.column_name), '_', ''));
  end loop;
  for found in select table_name from information_schema.tables where table_schema = 'public' and table_name not like 'svc\\_%' loop
    execute format('alter table %I rename to %I', found.table_name, replace(initcap(found.table_name), '_', ''));
  end loop;
end $$`;

const chosen = dialectsOf(import.meta.url);

const databases = (
  [
    ['sqlite', 'chinook.sqlite.sql', ''],
    ['mariadb', 'chinook.mysql.sql', ''],
    ['mysql', 'chinook.mysql.sql', ''],
    ['postgres', 'chinook.postgres.sql', renamed],
  ] as const
).filter(([dialect]) => chosen.includes(dialect));

let project: Project;
beforeAll(async () => {
  project = await createProject(['right', 'wrong']);
});
afterAll(() => project.remove());

const compilePrograms = (
  folder: string,
  names: readonly string[],
  options: CompilerOptions,
): Promise<Compiled> =>
  compile({ folder: project.folder, files: names.map((name) => join(folder, name)), options });

describe('an invalid program', () => {
  let found: ReturnType<typeof messagesByFile>;
  beforeAll(async () => {
    const options = { ...strictestOfPrograms, noEmit: true };
    found = messagesByFile(await compilePrograms('wrong', wrong, options));
  }, 240_000);

  it.each(wrong)('%s fails to compile with a helpful message', (name) => {
    const [first = ''] = readFileSync(join(programsFolder, 'wrong', name), 'utf8').split('\n');
    const [code = '', ...words] = first.slice('// '.length).split(': ');
    const said = found.get(name) ?? [];
    expect(said).toHaveLength(1);
    expect(said[0]).toMatch(new RegExp(`^${code}: `));
    expect(said[0]).toContain(words.join(': '));
  });
});

describe('valid programs', () => {
  let compiled: Compiled;
  beforeAll(async () => {
    compiled = await compilePrograms('right', right, strictest);
  }, 240_000);

  it('compile with the client under the strictest settings', () => {
    expect(compiled.faults).toEqual([]);
  });

  describe('in a page of another origin', () => {
    const file = join(packageRoot, 'demo', 'chinook.sqlite.sql');
    const server = useServer({ dialect: 'sqlite', file, environment: { CORS_ORIGIN: 'http://127.0.0.1:*' } });

    it('succeed with CORS_ORIGIN', async () => {
      const options = { folder: project.folder, url: server().url, token: adminToken, crossOrigin: true };
      const outcomes = await runInBrowser(options);
      expect(resultsOf(outcomes)).toEqual(expectedOf(outcomes));
    }, 120_000);
  });

  describe.each(databases)('on %s', (dialect, file, sql) => {
    const server = useServer({ dialect, file: join(packageRoot, 'demo', file), ...(sql !== '' && { sql }) });

    it.each(nodeVersions)(
      'succeed in Node %s',
      async (version) => {
        const options = { folder: join(project.folder, 'right'), url: server().url, token: adminToken };
        const outcomes = await runInNode(await findNode(version), options);
        expect(resultsOf(outcomes)).toEqual(expectedOf(outcomes));
      },
      240_000,
    );

    it('succeed in a browser', async () => {
      const options = { folder: project.folder, url: server().url, token: adminToken };
      const outcomes = await runInBrowser(options);
      expect(resultsOf(outcomes)).toEqual(expectedOf(outcomes));
    }, 120_000);
  });
});

const resultsOf = (outcomes: readonly Outcome[]): unknown =>
  outcomes.map(({ name, result }) => ({ name, result }));

/** Every program there is, whether it ran or not. */
const expectedOf = (outcomes: readonly Outcome[]): unknown =>
  right.map((source) => {
    const name = source.replace('.ts', '.js');
    return { name, result: outcomes.find((outcome) => outcome.name === name)?.expected };
  });

/**
 * Whatever names and types a database has: bootstrap, generate, compile, serve, and use the client.
 * `LONG=1` does so with more names, on every database.
 */
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packageRoot } from '../../runtime/config/package.js';
import { compile, type Compiled, type CompilerOptions } from '../compiler.js';
import { createTestDatabase, sampleDialects, type TestDatabase, type TestDialect } from '../databases.js';
import { createWorkplace, type Workplace } from '../runtime/commands.js';
import { adminToken } from '../runtime/server-harness.js';
import { expectedOf, printProgram, shownOf, type Row } from './random/program.js';
import { randomSchema, type Schema } from './random/tables.js';

const seeds = process.env.LONG === undefined ? [1] : [1, 2, 3, 4, 5];
const patience = 300_000 * seeds.length;
const columnsPerTable = 8;

interface Api {
  readonly [name: string]: unknown;
}

interface Program {
  readonly createClient: (options: { readonly url: string; readonly token: string }) => Api;
  readonly steps: readonly ((api: Api) => Promise<Row>)[];
  readonly readView: (api: Api) => Promise<readonly Row[]>;
  readonly readGraphql: (api: Api) => Promise<readonly Row[]>;
}

interface Subject {
  readonly name: string;
  readonly dialect: TestDialect;
  readonly schema: Schema;
}

/** Each builds a client and starts a server; the types of columns are tested on every database in `runtime/columns/`. */
const subjects = sampleDialects(import.meta.url).flatMap((dialect) =>
  seeds.map((seed): Subject => {
    return { name: `${dialect}-${seed}`, dialect, schema: randomSchema(dialect, seed, columnsPerTable) };
  }),
);

let folder: string;
const places: Workplace[] = [];
const databases: TestDatabase[] = [];
const urls = new Map<string, string>();
let clients: Compiled;

/** Every command as people give it. */
const prepare = async ({ name, dialect, schema }: Subject): Promise<void> => {
  const place = createWorkplace();
  places.push(place);
  const database = await createTestDatabase(dialect, { sql: schema.sql });
  databases.push(database);
  const environment = { DATABASE_URL: database.url, ADMIN_TOKEN: adminToken, PORT: '0', LOG_STYLE: 'json' };
  const said = [
    await place.run(['bootstrap'], environment),
    await place.run(['generate', '--out', join(folder, name)], environment),
  ];
  expect(said.filter(({ code }) => code !== 0)).toEqual([]);
  writeFileSync(join(folder, name, 'program.ts'), printProgram(schema));
  const [, url = ''] = await place
    .start(['start', '--workers', '1'], environment)
    .until(/(http:\/\/127\.0\.0\.1:\d+)\/items/);
  urls.set(name, url);
};

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'svc-random-'));
  symlinkSync(join(packageRoot, 'node_modules'), join(folder, 'node_modules'));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }\n');
  for (const subject of subjects) await prepare(subject);
  clients = await compileClients();
}, patience);

afterAll(async () => {
  for (const place of places) place.remove();
  rmSync(folder, { recursive: true, force: true });
  for (const database of databases) await database.drop();
});

const options: CompilerOptions = {
  target: 'es2022',
  module: 'nodenext',
  strict: true,
  verbatimModuleSyntax: true,
  isolatedModules: true,
  skipLibCheck: true,
};

/** Compiles the programs that use the clients. */
const compileClients = (): Promise<Compiled> =>
  compile({
    folder,
    files: subjects.map(({ name }) => join(name, 'program.ts')),
    options: {
      ...options,
      lib: ['es2022', 'dom', 'dom.iterable'],
      types: [],
      outDir: join(folder, 'dist'),
    },
  });

describe('the output for tables with random names', () => {
  it('compiles as a server', async () => {
    const { faults } = await compile({
      folder,
      files: subjects.map(({ name }) => join(name, 'server/index.ts')),
      options: {
        ...options,
        lib: ['es2023'],
        types: ['node'],
        noEmit: true,
        // as it is installed: its source would be checked as well
        paths: { '@svc-api/svc/*': [join(packageRoot, 'dist/*/index.d.ts')] },
      },
    });
    expect(faults).toEqual([]);
  });

  it('compiles as a client with the programs that use it', () => {
    expect(clients.faults).toEqual([]);
  });
});

describe.each(subjects)('the client of $name', ({ name, dialect, schema }) => {
  let program: Program;
  let api: Api;
  /** Results of the steps, which run once and in order: a row refers to one of a table before it. */
  const written: PromiseSettledResult<Row>[] = [];

  beforeAll(async () => {
    program = (await import(join(folder, 'dist', name, 'program.js'))) as Program;
    api = program.createClient({ url: urls.get(name) ?? '', token: adminToken });
    for (const step of program.steps) written.push(...(await Promise.allSettled([step(api)])));
  });

  it.each(schema.tables.map((table, index) => [JSON.stringify(table.name), table, index] as const))(
    'writes, finds, sorts and changes rows of %s',
    (_, table, index) => {
      expect(written[index]).toEqual({ status: 'fulfilled', value: expectedOf(table) });
    },
  );

  it('reads a view', async () => {
    const [first] = schema.tables;
    expect(await program.readView(api)).toEqual(first === undefined ? [] : [shownOf(first, dialect)]);
  });

  it('reads every table over GraphQL', async () => {
    const answers = await program.readGraphql(api);
    expect(answers.map((answer) => Object.values(answer).flat().length)).toEqual(schema.tables.map(() => 1));
  });
});

/** `svc doctor` names what keeps a project from being served well, in groups, and exits with 1 for a problem. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { doctorCommand } from '../../runtime/commands/doctor.js';
import { generateCommand } from '../../runtime/commands/generate.js';
import { createTestDatabase, dialectsOf, type TestDialect } from '../databases.js';
import { createLimitedUser } from '../limited-user.js';
import { systemTemplate } from '../templates.js';
import { createWorkplace } from './commands.js';
import { runCommand } from './harness/run-command.js';

const dialects = dialectsOf(import.meta.url);

const tables = `
create table book (
  id integer primary key, title varchar(100), stock integer,
  double_stock integer generated always as (stock * 2) stored
);
create view titles as select title from book;
`;

const rule = `
insert into svc_policies (id, name, admin_access, app_access) values ('00000000-0000-4000-8000-000000000021', 'Readers', false, false);
insert into svc_permissions (policy, collection, action, fields, permissions, validation) values
  ('00000000-0000-4000-8000-000000000021', 'book', 'create', 'title', '{"colour":{"_eq":"red"}}', '{"title":{"_regex":"(?=x)"}}'),
  ('00000000-0000-4000-8000-000000000021', 'boook', 'read', '*', null, null);
`;

/** Returns the values of a request. */
const waiting = (id: number, model: string, state: string): string =>
  `('00000000-0000-4000-8000-00000000000${id}', '00000000-0000-4000-8000-000000000009', '${model}', '${state}', 1)`;

const ok = [
  'system tables: ok',
  'spec files: ok',
  'rights of the database user: ok',
  'rules: ok',
  'classes of models: ok',
];
const noOutput = [
  'generated output:',
  '  note  there is no generated/; "svc start" builds from the database instead',
];

describe.each(dialects)('svc doctor on %s', (dialect) => {
  const ends: (() => Promise<void> | void)[] = [];
  afterEach(async () => {
    for (const end of ends.splice(0).toReversed()) await end();
  });

  const open = async (on: TestDialect, options: { readonly system?: boolean } = {}) => {
    const template = options.system === false ? {} : { template: await systemTemplate(on) };
    const database = await createTestDatabase(on, { ...template, sql: tables });
    const { directory, remove } = createWorkplace();
    ends.push(remove, database.drop);
    const examine = async (url = database.url, ...args: string[]) => {
      const environment = { DATABASE_URL: url };
      const { code, stdout } = await runCommand(doctorCommand(), { args, directory, environment });
      return { code, lines: stdout.trimEnd().split('\n') };
    };
    const generate = () =>
      runCommand(generateCommand(), {
        args: ['--no-client'],
        directory,
        environment: { DATABASE_URL: database.url },
      });
    return { ...database, directory, examine, generate };
  };

  it('finds nothing in a database that was just set up', async () => {
    const { examine } = await open(dialect);
    expect(await examine()).toEqual({ code: 0, lines: [...ok, ...noOutput, '', '0 problems, 1 note'] });
  }, 120_000);

  it('names system tables that are missing, and examines no rules then', async () => {
    const { examine } = await open(dialect, { system: false });
    const { code, lines } = await examine();
    expect(code).toBe(1);
    expect(lines[1]).toMatch(
      /^ {2}problem {2}the system tables are missing or outdated: create svc_\w+, .*; run "svc bootstrap"$/,
    );
    expect(lines).toContain('rules: not examined because of other problems');
  }, 120_000);

  it('names rules that cannot be evaluated', async () => {
    const { execute, examine } = await open(dialect);
    await execute(rule);
    const { code, lines } = await examine();
    expect(code).toBe(1);
    expect(lines.slice(3, 7)).toEqual([
      'rules:',
      '  problem  policy "Readers", create of book, in "permissions": "colour" does not exist',
      '  problem  policy "Readers", create of book, in "validation": "(?=x)" is not a supported regular expression: look-ahead "(?="',
      '  problem  policy "Readers", read of boook, in "collection": "boook" does not exist',
    ]);
  }, 120_000);

  it('names models that do not exist any more, for which requests wait', async () => {
    const { execute, examine } = await open(dialect);
    await execute(`
      insert into svc_model_locks (model) values ('acme/old'), ('acme/older'), ('acme/ended'), ('demo/image');
      insert into svc_requests (id, account, model, state, date_created) values
        ${waiting(1, 'acme/old', 'waiting')}, ${waiting(2, 'acme/old', 'admitted')}, ${waiting(3, 'acme/older', 'waiting')},
        ${waiting(4, 'acme/ended', 'ended')}, ${waiting(5, 'demo/image', 'waiting')};`);
    const { code, lines } = await examine();
    const remedy = 'which does not exist; add it again, or end them: svc requests cancel --model';
    expect([code, lines.slice(4, 7)]).toEqual([
      0,
      [
        'classes of models:',
        `  note  2 requests wait for the model acme/old, ${remedy} acme/old`,
        `  note  1 request waits for the model acme/older, ${remedy} acme/older`,
      ],
    ]);
  }, 120_000);

  it('names spec files that are faulty, or name what the database lacks', async () => {
    const { directory, examine } = await open(dialect);
    const file = join(directory, 'spec', 'collections', 'book.yaml');
    mkdirSync(join(directory, 'spec', 'collections'), { recursive: true });
    writeFileSync(file, 'fields:\n  subtitle:\n    note: Dropped.\n');
    const outdated = await examine();
    expect(outdated.code).toBe(1);
    expect(outdated.lines.slice(1, 4)).toEqual([
      'spec files:',
      expect.stringMatching(/^ {2}problem {2}spec\/collections\/book\.yaml:2:3: .*"subtitle"/),
      'rights of the database user: ok',
    ]);
    writeFileSync(file, 'notes: x\n');
    const faulty = await examine();
    expect(faulty.code).toBe(1);
    expect(faulty.lines.slice(0, 3)).toEqual([
      'system tables: not examined because of other problems',
      'spec files:',
      expect.stringMatching(/^ {2}problem {2}spec\/collections\/book\.yaml:1:1: unknown key "notes"/),
    ]);
  }, 120_000);

  it('names generated output that is out of date, and what changed', async () => {
    const { execute, examine, generate } = await open(dialect);
    await generate();
    expect(await examine()).toEqual({
      code: 0,
      lines: [...ok, 'generated output: ok', '', '0 problems, 0 notes'],
    });
    await execute('alter table book add column isbn varchar(20)');
    const { code, lines } = await examine();
    expect(code).toBe(1);
    expect(lines.slice(5, 8)).toEqual([
      'generated output:',
      expect.stringMatching(/^ {2}problem {2}\d+ files in generated\/ are out of date; run "svc generate"$/),
      expect.stringMatching(/^ {2}note {2}since then: column book\.isbn added/),
    ]);
  }, 120_000);

  it('prints JSON', async () => {
    const { examine, url } = await open(dialect);
    const { code, lines } = await examine(url, '--json');
    expect([code, JSON.parse(lines.join('\n'))]).toMatchObject([
      0,
      {
        groups: [
          { name: 'system tables', findings: [] },
          {},
          {},
          {},
          {},
          { findings: [{ severity: 'note' }] },
        ],
      },
    ]);
  }, 120_000);
});

describe.each(['mariadb', 'mysql', 'postgres'] as const)('svc doctor as a limited user on %s', (dialect) => {
  it('names rights that the user of the database lacks', async () => {
    const { url, execute, drop } = await createTestDatabase(dialect, {
      template: await systemTemplate(dialect),
      sql: tables,
    });
    const limited = await createLimitedUser(dialect, { url, execute, rights: 'select' });
    const { directory, remove } = createWorkplace();
    try {
      const environment = { DATABASE_URL: limited.url };
      const { code, stdout } = await runCommand(doctorCommand(), {
        args: ['--json'],
        directory,
        environment,
      });
      const { groups } = JSON.parse(stdout) as { groups: { findings: { message: string }[] | null }[] };
      const said = groups[2]?.findings?.map(({ message }) => message) ?? [];
      expect(code).toBe(1);
      expect(said.filter((message) => message.includes(' book: '))).toEqual([
        expect.stringMatching(/^cannot insert into book: .*denied/),
        expect.stringMatching(/^cannot update book: .*denied/),
        expect.stringMatching(/^cannot delete from book: .*denied/),
      ]);
      expect(said.filter((message) => /cannot read|titles/.test(message))).toEqual([]);
    } finally {
      remove();
      await limited.drop();
      await drop();
    }
  }, 120_000);
});

it.each(['mariadb', 'mysql', 'postgres'] as const)(
  'names columns of %s that may not be used',
  async (dialect) => {
    const { url, execute, drop, database } = await createTestDatabase(dialect, {
      template: await systemTemplate(dialect),
      sql: 'create table book (id integer primary key, title varchar(100) not null, cost integer);',
    });
    const limited = await createLimitedUser(dialect, { url, execute, rights: 'insert' });
    const { directory, remove } = createWorkplace();
    try {
      const user = new URL(limited.url).username;
      const name = dialect === 'postgres' ? user : `${user}@'%'`;
      const schema = dialect === 'postgres' ? 'current_schema()' : 'database()';
      const system = await database.query(
        `select table_name as name from information_schema.tables where table_schema = ${schema} and table_name like 'svc%'`,
      );
      for (const table of system) await execute(`grant select on ${String(table.name)} to ${name}`);
      await execute(`grant select (id, title), update (title) on book to ${name}`);
      const environment = { DATABASE_URL: limited.url };
      const { stdout } = await runCommand(doctorCommand(), { args: ['--json'], directory, environment });
      expect(stdout.match(/cannot [a-z ]+ book[.a-z]*(?=:)/g)).toEqual([
        'cannot read book.cost',
        'cannot update book.id',
        'cannot update book.cost',
        'cannot delete from book',
      ]);
    } finally {
      remove();
      await limited.drop();
      await drop();
    }
  },
  120_000,
);

it('names a server that takes no writes', async () => {
  const { url, execute, drop } = await createTestDatabase('postgres', {
    template: await systemTemplate('postgres'),
  });
  const { directory, remove } = createWorkplace();
  try {
    await execute(`alter database ${new URL(url).pathname.slice(1)} set default_transaction_read_only = on`);
    const environment = { DATABASE_URL: url };
    const { code, stdout } = await runCommand(doctorCommand(), { args: [], directory, environment });
    expect(code).toBe(1);
    expect(stdout).toContain('cannot update svc_access: cannot execute UPDATE in a read-only transaction');
  } finally {
    remove();
    await drop();
  }
}, 120_000);

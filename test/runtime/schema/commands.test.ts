/** `svc schema` on a database and on an instance that runs. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { printDiff } from '../../../runtime/commands/schema/print.js';
import { schemaCommand } from '../../../runtime/commands/schema/index.js';
import type { Snapshot } from '../../../runtime/schema/snapshot/types.js';
import { dialectsOf, type TestDialect } from '../../databases.js';
import { createWorkplace } from '../commands.js';
import { runCommand } from '../harness/run-command.js';
import { adminToken } from '../harness/rows.js';
import { startTiny } from '../recorded/tiny.js';
import { copyField, edited, field, tinyScript, type Edit } from './edits.js';
import { createPlace } from './places.js';

const dialects = dialectsOf(import.meta.url);

const ends: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

/** A field goes, with one value; one comes. */
const change: Edit = (snapshot) => {
  snapshot.fields = snapshot.fields.filter((entry) => entry.field !== 'weight');
  snapshot.fields.push(copyField(field(snapshot, 'boxes', 'code'), 'colour', { is_nullable: true }));
};

/** Rows that go with those of a table that SQLite makes anew, where foreign keys act. */
const belowBoxes = `create table labels (id int not null primary key, box int,
  foreign key (box) references boxes (id) on delete cascade); insert into labels values (1, 1);`;

const open = async (dialect: TestDialect, sql?: string) => {
  const place = await createPlace(dialect, sql);
  const { directory, remove } = createWorkplace();
  ends.push(remove, place.drop);
  const environment = { DATABASE_URL: place.url };
  const run = (...args: string[]) => runCommand(schemaCommand(), { args, directory, environment });
  const write = (snapshot: Snapshot): void =>
    writeFileSync(join(directory, 'wanted.json'), JSON.stringify(snapshot));
  return { place, run, write, read: (name: string) => readFileSync(join(directory, name), 'utf8') };
};

it('a difference names roles and policies, and leaves out what is null in the parts of an entry', () => {
  const none = { collections: [], fields: [], systemFields: [], relations: [] };
  const meta = { icon: 'box', note: null };
  expect(
    printDiff({
      ...none,
      collections: [{ collection: 'boxes', diff: [{ kind: 'E', path: ['meta'], lhs: meta, rhs: null }] }],
      roles: [{ id: 'a', diff: [{ kind: 'N', rhs: { id: 'a', name: 'Editor' } }] }],
      policies: [{ id: 'b', diff: [{ kind: 'D', lhs: { id: 'b', name: 'Readers' } }] }],
    }),
  ).toBe('~ collection boxes meta: {"icon":"box"} → null\n+ roles a (Editor)\n- policies b (Readers)');
});

describe.each(dialects)('on %s', (dialect) => {
  it('a written snapshot has no difference; an edited one is shown with its losses and applied after confirmation', async () => {
    const { place, run, write, read } = await open(dialect, tinyScript(dialect));
    expect((await run('snapshot', 'schema.yaml')).code).toBe(0);
    expect(read('schema.yaml')).toContain('collection: boxes');
    expect(await run('diff', 'schema.yaml')).toMatchObject({ code: 0, stdout: 'no difference\n' });
    const before = await place.snapshot();
    write(edited(before, change));

    const shown = await run('diff', 'wanted.json');
    expect(shown.code).toBe(1);
    expect(shown.stdout).toContain('- field boxes.weight\n');
    expect(shown.stdout).toContain('+ field boxes.colour\n');
    expect(shown.stdout).toContain('loses 1 value: drop field boxes.weight\n');
    expect(shown.stdout).toContain('breaks clients: boxes.weight no longer exists.\n');

    const { stdout: sql } = await run('diff', 'wanted.json', '--sql');
    expect(sql).toMatch(/colour[\s\S]*;\n$/);
    const { stdout: expand } = await run('diff', 'wanted.json', '--sql', '--phase', 'expand');
    const { stdout: contract } = await run('diff', 'wanted.json', '--sql', '--phase', 'contract');
    const isOne = dialect === 'sqlite';
    expect([expand.includes('colour'), contract.includes('colour')]).toEqual([!isOne, isOne]);
    const explained = await run('diff', 'wanted.json', '--explain', 'exact');
    expect(explained.stdout.startsWith(shown.stdout)).toBe(true);
    expect(explained.stdout).toMatch(
      /boxes: 2 rows[\s\S]*drop field weight: destructive, (?:blocking, )?breaking; [\s\S]*safer: Have clients/,
    );
    expect(explained.stdout.includes('the server says: ')).toBe(!isOne);
    expect(explained.stdout).toContain('contract, when all servers have followed:\n');
    expect(await run('apply', 'wanted.json', '--dry-run')).toMatchObject({ code: 0, stdout: shown.stdout });
    const asked = await run('apply', 'wanted.json');
    expect(asked).toMatchObject({ code: 1, stdout: shown.stdout });
    expect(asked.stderr).toContain('send --yes');
    expect(await place.snapshot()).toEqual(before);

    const applied = await run('apply', 'wanted.json', '--yes');
    expect(applied).toMatchObject({ code: 0, stdout: `${shown.stdout}applied\n` });
    expect(applied.stderr).toContain('1/');
    expect(await run('diff', 'wanted.json')).toMatchObject({ code: 0 });
    expect((await run('status')).stdout).toMatch(/^done\b/);
    expect(await run('apply', '--resume')).toMatchObject({ stdout: 'no apply was cut off\n' });
    expect(await run('apply', '--abandon')).toMatchObject({ stdout: 'no apply was running or cut off\n' });
    await place.execute("update svc_schema_applies set state = 'running', generation = null");
    const { code, stderr } = await run('apply', '--resume');
    const isRolledBack = dialect === 'sqlite' || dialect === 'postgres';
    expect([code, stderr.includes('nothing was changed; apply again')]).toEqual([
      Number(isRolledBack),
      isRolledBack,
    ]);
  });

  it.each([
    ['', [[]]],
    [
      ' of the phases',
      [
        ['--phase', 'expand'],
        ['--phase', 'contract'],
      ],
    ],
  ])('the files of --sql%s, run as they are, leave no difference', async (_name, parts) => {
    const { place, run, write } = await open(dialect, `${tinyScript(dialect)} ${belowBoxes}`);
    write(
      edited(await place.snapshot(), (snapshot) => {
        change(snapshot);
        Object.assign(field(snapshot, 'boxes', 'code'), { meta: { note: "It's a \\ code?" } });
      }),
    );
    const files: string[] = [];
    for (const args of parts) files.push((await run('diff', 'wanted.json', '--sql', ...args)).stdout);
    for (const file of files) if (file.trim() !== '') await place.execute(file);
    expect(await run('diff', 'wanted.json')).toMatchObject({ code: 0, stdout: 'no difference\n' });
    expect(await place.database.query('select id from labels')).toEqual([{ id: 1 }]);
  });

  it('a file of --sql begins with what the data forbids', async () => {
    const { place, run, write } = await open(dialect, tinyScript(dialect));
    write(
      edited(await place.snapshot(), (snapshot) => {
        Object.assign(field(snapshot, 'boxes', 'weight').schema, { is_nullable: false });
      }),
    );
    expect((await run('diff', 'wanted.json', '--sql')).stdout).toMatch(/^-- stands against it: .*boxes/);
  });
});

describe('a running instance', () => {
  it('can be read, compared, pulled and pushed over HTTP', async () => {
    const server = await startTiny('sqlite');
    ends.push(() => server.close());
    const { place, run, write, read } = await open('sqlite');
    const there = ['--url', server.url, '--token', adminToken];

    const refused = await run('snapshot', '--url', server.url);
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toContain('send --token of an administrator');

    expect((await run('snapshot', 'there.yaml', '--include', 'access', ...there)).code).toBe(0);
    expect(read('there.yaml')).toContain('admin_access: true');
    const pulled = await run('pull', '--yes', ...there);
    expect(pulled.stdout).toContain('+ collection boxes\n');
    expect((await place.snapshot()).collections.map(({ collection }) => collection)).toEqual([
      'boxes',
      'shelves',
    ]);
    expect(await run('push', ...there)).toMatchObject({ code: 0, stdout: 'no difference\n' });
    expect((await run('status', ...there)).stdout).toBe('nothing was applied yet\n');

    write(edited(await place.snapshot(), change));
    expect((await run('apply', 'wanted.json', '--yes')).code).toBe(0);
    const planned = await run('push', '--dry-run', ...there);
    expect(planned.stdout).toContain('loses 1 value: drop field boxes.weight\n');
    expect(await run('push', '--yes', ...there)).toMatchObject({ code: 0 });
    expect(await run('diff', 'wanted.json', ...there)).toMatchObject({ code: 0, stdout: 'no difference\n' });
    expect((await run('status', ...there)).stdout).toMatch(/^done\b/);
    for (const flag of ['--resume', '--abandon']) {
      const { code, stderr } = await run('apply', flag, ...there);
      expect(code).toBe(1);
      expect(stderr).toContain('run them there, without --url');
    }
    const { data } = await server.request('GET', '/items/boxes?limit=1', { as: 'admin' });
    expect(data).toMatchObject([{ code: 'B-1', colour: null }]);
  });

  it('that cannot be reached is reported', async () => {
    const { run } = await open('sqlite');
    const { code, stderr } = await run('snapshot', '--url', 'http://127.0.0.1:1');
    expect(code).toBe(1);
    expect(stderr).toContain('http://127.0.0.1:1/ cannot be reached');
    expect((await run('snapshot', '--url', 'nonsense')).stderr).toContain('is no URL');
  });
});

/** `svc import` and `svc export`, in the database of DATABASE_URL and in an instance that runs. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exportCommand } from '../../../runtime/commands/transfers/export.js';
import { importCommand } from '../../../runtime/commands/transfers/import.js';
import { createTestDatabase, pairDialects, type TestDatabase } from '../../databases.js';
import { systemTemplate } from '../../templates.js';
import { createWorkplace, type Outcome, type Workplace } from '../commands.js';
import { adminToken } from '../harness/rows.js';
import { runCommand } from '../harness/run-command.js';
import { sqlFor } from '../harness/sql.js';
import { useServer } from '../harness/use-server.js';
import { sampleSettings } from '../server-harness.js';

const schema =
  'create table "song" ("id" {counter}, "code" varchar(9) not null unique, "title" varchar(20), "length" integer);';
const files = mkdtempSync(join(tmpdir(), 'svc-transfers-'));

const csv = 'code,title,length\na1,"One, two",60\na2,=Three,\n';
const bad = 'code,title,length\nb1,Four,61\nb2,Five,long\nb3,Six,63\n';

/** Runs `svc` with arguments in `directory`. */
interface Place {
  readonly directory: string;
  svc(...args: string[]): Promise<Outcome>;
}

const unquote = (text: string): string => text.replaceAll('"', '');

const runIn = (
  { directory }: Workplace,
  [name, ...args]: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<Outcome> =>
  runCommand(name === 'import' ? importCommand() : exportCommand(), { args, directory, environment });

const isLong = process.env.LONG !== undefined;
/** Several chunks and a rest. */
const manyRows = isLong ? 12_345 : 2_345;

/** Behaviour of both targets. */
const transfersIn = (open: () => Place): void => {
  const write = (name: string, content: string | Buffer): void =>
    writeFileSync(join(open().directory, name), content);
  const read = (name: string): string => unquote(readFileSync(join(open().directory, name), 'utf8'));
  const titles = async (): Promise<string> =>
    unquote(
      (await open().svc('export', 'song', '-', '--format', 'csv', '--fields', 'code,title', '--sort', 'code'))
        .stdout,
    );

  it('stores the rows of CSV, JSON, NDJSON and compressed files, and exports them again', async () => {
    const { svc } = open();
    write('songs.csv', csv);
    write('songs.json', '[{"code":"a3","title":"Three"}]');
    write('songs.ndjson.gz', gzipSync('{"code":"a4","length":4}\n{"code":"a5"}\n'));
    expect(await svc('import', 'song', 'songs.csv')).toMatchObject({ code: 0, stdout: '2 rows imported\n' });
    expect(await svc('import', 'song', 'songs.json')).toMatchObject({ code: 0, stdout: '1 row imported\n' });
    const third = await svc('import', 'song', 'songs.ndjson.gz', '--json');
    expect({ ...third, stdout: JSON.parse(third.stdout) as unknown }).toMatchObject({
      code: 0,
      stdout: { imported: 2, rejected: 0, rejected_rows: null },
    });
    const filter = [
      '--filter',
      '{"code":{"_in":["a1","a2"]}}',
      '--fields',
      'code,title,length',
      '--sort',
      '-code',
    ];
    const exported = await svc('export', 'song', 'out.csv', ...filter);
    expect(exported).toMatchObject({ code: 0, stdout: '' });
    expect(exported.stderr).toContain('2 rows exported\n');
    expect(read('out.csv')).toBe("code,title,length\na2,'=Three,\na1,One, two,60");
    await svc('export', 'song', 'out.csv.gz', ...filter);
    expect(gunzipSync(readFileSync(join(open().directory, 'out.csv.gz'))).toString()).toBe(
      readFileSync(join(open().directory, 'out.csv'), 'utf8'),
    );
    const own = ['--filter', '{"code":{"_starts_with":"a"}}'];
    await svc('export', 'song', 'out.json', ...own, '--fields', 'code', '--sort', 'code', '--limit', '2');
    expect(JSON.parse(readFileSync(join(open().directory, 'out.json'), 'utf8'))).toEqual([
      { code: 'a1' },
      { code: 'a2' },
    ]);
  });

  it('carries more rows than a chunk holds, there and back', async () => {
    const { svc } = open();
    const rows = Array.from({ length: manyRows }, (_, index) => ({
      code: `m${index}`,
      title: index % 5 === 0 ? '' : `=${index}, "two" 'ü'`,
      length: index % 7 === 0 ? null : index,
    }));
    write('many.ndjson', rows.map((row) => JSON.stringify(row)).join('\n'));
    const imported = { code: 0, stdout: `${manyRows} rows imported\n` };
    expect(await svc('import', 'song', 'many.ndjson')).toMatchObject(imported);
    const query = [
      '--fields',
      'code,title,length',
      '--filter',
      '{"code":{"_starts_with":"m"}}',
      '--sort',
      'id',
    ];
    const exported = await svc('export', 'song', 'many.csv', ...query);
    expect(exported.stderr).toContain(`${manyRows} rows exported\n`);
    const again = ['--on-conflict', 'update', '--conflict', 'code'];
    expect(await svc('import', 'song', 'many.csv', ...again)).toMatchObject(imported);
    const { stdout } = await svc('export', 'song', '-', '--format', 'ndjson', ...query);
    expect(
      stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown),
    ).toEqual(rows);
  });

  it('stops at a row that cannot be stored and names it, or lists such rows in a file', async () => {
    const { svc, directory } = open();
    write('bad.csv', bad);
    const stopped = await svc('import', 'song', 'bad.csv');
    expect(stopped).toMatchObject({ code: 1, stdout: '1 row imported\n' });
    expect(stopped.stderr).toMatch(/svc: line 3, length: .*"length"/);
    expect(existsSync(join(directory, 'bad.csv.rejected.csv'))).toBe(false);
    const again = ['bad.csv', '--on-error', 'report', '--on-conflict', 'ignore', '--conflict', 'code'];
    expect(await svc('import', 'song', ...again)).toMatchObject({
      code: 1,
      stdout: '2 rows imported\n1 row left out, listed in bad.csv.rejected.csv\n',
    });
    expect(read('bad.csv.rejected.csv')).toMatch(/^row,line,column,code,error\n2,3,length,[A-Z_]+,/);
    expect(await titles()).toContain('b1,Four\nb3,Six');
  });

  it('changes stored rows, reads other columns, and stores nothing in a dry run', async () => {
    const { svc } = open();
    write('stored.csv', 'code,title\nc0,Zero\n');
    expect((await svc('import', 'song', 'stored.csv')).code).toBe(0);
    write('names.csv', 'Code;Name;Note\nc0;Uno;x\nc1;Dos;y\n');
    const args = ['names.csv', '--delimiter', ';', '--on-conflict', 'update', '--conflict', 'code'];
    const mapping = ['--mapping', '{"Code":"code","Name":"title","Note":null}'];
    const before = await titles();
    expect(await svc('import', 'song', ...args, ...mapping, '--dry-run')).toMatchObject({
      code: 0,
      stdout: '2 rows can be imported\n',
    });
    expect(await titles()).toBe(before);
    expect((await svc('import', 'song', ...args, ...mapping)).code).toBe(0);
    expect(await titles()).toMatch(/^c0,Uno$[^]*^c1,Dos$/m);
  });

  it('refuses what it does not know, says what would be right, and writes no file', async () => {
    const { svc, directory } = open();
    write('songs.txt', csv);
    const tried = async (...args: string[]): Promise<string> => {
      const { code, stderr } = await svc(...args);
      expect(code).toBe(1);
      return stderr;
    };
    expect(await tried('import', 'song', 'songs.txt')).toContain('add --format: csv, json, ndjson');
    expect(await tried('import', 'song', 'none.csv')).toContain('none.csv cannot be read (ENOENT)');
    write('plain.csv.gz', csv);
    expect(await tried('import', 'song', 'plain.csv.gz')).toContain(
      'plain.csv.gz is not compressed with gzip',
    );
    mkdirSync(join(directory, 'folder.csv'), { recursive: true });
    expect(await tried('import', 'song', 'folder.csv')).toContain('folder.csv is a folder');
    expect(await tried('export', 'song', 'folder.csv')).toContain('folder.csv is a folder');
    expect(await tried('export', 'song', 'none/out.csv')).toContain(
      'none/out.csv cannot be written (ENOENT)',
    );
    const report = ['--on-error', 'report', '--rejected', 'none/rejected.csv'];
    expect(await tried('import', 'song', 'songs.csv', ...report)).toContain(
      'none/rejected.csv cannot be written (ENOENT)',
    );
    expect(await tried('import', 'songs', 'songs.txt', '--format', 'csv')).toContain(
      '"songs" does not exist',
    );
    expect(await tried('import', 'song', 'songs.txt', '--format', 'csv', '--mapping', 'x')).toContain(
      '"mapping" takes a JSON object',
    );
    expect(await tried('export', 'song', 'out.xml', '--fields', 'nothing')).toContain('"nothing"');
    expect(existsSync(join(directory, 'out.xml'))).toBe(false);
    expect(await tried('export', 'svc_users', 'out.csv')).toContain('svc_users');
  });
};

// one target is tried on SQLite and the other on a server: what they do there is tested in import.test.ts
const localDialects = pairDialects(import.meta.url).slice(isLong ? 0 : 1);
const remoteSettings = sampleSettings(import.meta.url).slice(0, isLong ? undefined : 1);

describe.each(localDialects)('in the database of DATABASE_URL on %s', (dialect) => {
  let database: TestDatabase;
  let place: Workplace;
  const environment = () => ({
    DATABASE_URL: database.url,
    SECRET: 'a secret for tests of at least 32 bytes',
  });

  beforeAll(async () => {
    database = await createTestDatabase(dialect, { template: await systemTemplate(dialect) });
    await database.execute(sqlFor(dialect, schema));
    place = createWorkplace();
  });
  afterAll(async () => {
    place.remove();
    await database.drop();
  });

  const svc = (...args: string[]): Promise<Outcome> => runIn(place, args, environment());
  transfersIn(() => ({ directory: place.directory, svc }));

  it('acts as a user, with the rights of that user', async () => {
    await database.execute(
      "insert into svc_users (id, email, status) values ('00000000-0000-4000-8000-000000000031', 'kim@example.com', 'active')",
    );
    writeFileSync(join(place.directory, 'more.csv'), 'code\nd1\n');
    const refused = await svc('import', 'song', 'more.csv', '--user', 'kim@example.com');
    expect(refused).toMatchObject({ code: 1, stdout: '0 rows imported\n' });
    expect(refused.stderr).toContain('you may not create items of "song"');
    expect((await svc('import', 'song', 'more.csv', '--user', 'nobody@example.com')).stderr).toContain(
      'there is no user nobody@example.com',
    );
  });

  it('ends between two chunks when it is interrupted, and says how much is stored', async () => {
    const rows = Array.from({ length: 200_000 }, (_, index) => `x${index}`);
    writeFileSync(join(place.directory, 'many.csv'), `code\n${rows.join('\n')}\n`);
    const running = place.start(['import', 'song', 'many.csv'], environment());
    await running.until(/0 %\n/);
    expect(await running.stop('SIGINT')).toBe(1);
    const [, stored = ''] = /cancelled; (\d+) rows were stored before it/.exec(running.output()) ?? [];
    const found = await database.database.query("select count(*) as n from song where code like 'x%'");
    expect(Number(stored)).toBeGreaterThan(0);
    expect(Number(found[0]?.n)).toBe(Number(stored));
  });
});

describe.each(remoteSettings)('in an instance on $dialect through $listener', (setting) => {
  const server = useServer({
    ...setting,
    sql: sqlFor(setting.dialect, schema),
    environment: { QUEUE_FILES_DIR: files },
  });
  const place = createWorkplace();
  afterAll(place.remove);

  const svc = (...args: string[]): Promise<Outcome> =>
    runIn(place, [...args, '--url', server().url], { SVC_TOKEN: adminToken });

  transfersIn(() => ({ directory: place.directory, svc }));

  it('needs a token, and an instance that answers', async () => {
    writeFileSync(join(place.directory, 'more.csv'), 'code\nd1\n');
    const run = (...args: string[]) => runIn(place, ['import', 'song', 'more.csv', ...args], {});
    const refused = await run('--url', server().url);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toMatch(
      /responded with 40[13]\n[^]*send --token of a user with access to the collection/,
    );
    expect((await run('--url', 'http://127.0.0.1:1', '--token', 'x')).stderr).toContain('cannot be reached');
    expect((await run('--url', server().url, '--user', 'a@example.com')).stderr).toContain('--token');
  });

  it('cancels its request when it is interrupted', async () => {
    const rows = Array.from({ length: 200_000 }, (_, index) => `x${index}`);
    writeFileSync(join(place.directory, 'many.csv'), `code\n${rows.join('\n')}\n`);
    const environment = { SVC_TOKEN: adminToken };
    const running = place.start(['import', 'song', 'many.csv', '--url', server().url], environment);
    await running.until(/uploading\n\d+ %\n/);
    expect(await running.stop('SIGINT')).toBe(1);
    expect(running.output()).toContain('cancelled; the rows that were stored before it stay');
  });
});

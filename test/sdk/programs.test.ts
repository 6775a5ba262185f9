/** Programs of client developers, against the packed client: right ones compile and run, wrong ones do not compile. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packageRoot } from '../../runtime/package.js';
import { adminToken } from '../runtime/server-harness.js';
import { useServer } from '../runtime/harness/use-server.js';
import { findNode, nodeVersions } from './nodes.js';
import { createProject, diagnose, programsFolder, sourcesIn, strictest, type Project } from './package.js';
import { runInBrowser, runInNode, type Outcome } from './run.js';

const right = (await sourcesIn(join(programsFolder, 'right'))).filter((name) => name !== 'exactly.ts');
const wrong = await sourcesIn(join(programsFolder, 'wrong'));

let project: Project;
beforeAll(async () => {
  project = await createProject(join(packageRoot, 'generated', 'client'), ['right', 'wrong']);
});
afterAll(() => project.remove());

const compile = (folder: string, names: readonly string[]): ts.Program => {
  const program = ts.createProgram({
    rootNames: names.map((name) => join(project.folder, folder, name)),
    options: strictest,
  });
  if (folder === 'right') program.emit();
  return program;
};

describe('a wrong program', () => {
  let found: ReturnType<typeof diagnose>;
  beforeAll(() => {
    found = diagnose(compile('wrong', wrong));
  }, 240_000);

  it.each(wrong)('%s is refused, with a message that helps', (name) => {
    const [first = ''] = readFileSync(join(programsFolder, 'wrong', name), 'utf8').split('\n');
    const [code = '', ...words] = first.slice('// '.length).split(': ');
    const said = found.get(name) ?? [];
    expect(said).toHaveLength(1);
    expect(said[0]).toMatch(new RegExp(`^${code}: `));
    expect(said[0]).toContain(words.join(': '));
  });
});

describe('right programs', () => {
  beforeAll(() => {
    expect([...diagnose(compile('right', right))]).toEqual([]);
  }, 240_000);

  const expectRight = (outcomes: readonly Outcome[]): void => {
    expect(outcomes.map(({ name }) => name)).toEqual(right.map((name) => name.replace('.ts', '.js')));
    for (const { name, result, expected } of outcomes)
      expect({ name, result }).toEqual({ name, result: expected });
  };

  describe.each(['sqlite', 'mariadb'] as const)('on %s', (dialect) => {
    const file = join(packageRoot, 'demo', dialect === 'sqlite' ? 'chinook.sqlite.sql' : 'chinook.mysql.sql');
    const server = useServer({ dialect, file });

    it.each(nodeVersions)(
      'give what they expect in Node %s',
      async (version) => {
        const options = { folder: join(project.folder, 'right'), url: server().url, token: adminToken };
        expectRight(await runInNode(await findNode(version), options));
      },
      240_000,
    );

    it('give what they expect in a browser', async () => {
      expectRight(await runInBrowser({ folder: project.folder, url: server().url, token: adminToken }));
    }, 120_000);
  });
});

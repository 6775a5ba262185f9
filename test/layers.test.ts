/** Compares all imports with the tables of `layers.ts`. */
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findImports, type Import } from './import-statements.js';
import { findCycles, imports, isWithin, modules } from './imports.js';
import { compositionRoots, folderImports, libraries } from './layers.js';

const isOwn = ({ to }: Import): boolean => /^(contract|generator|generated|models|runtime)\//.test(to);
const own = imports.filter(isOwn);

const isHome = ({ from, to }: Import): boolean => (libraries[to] ?? []).some((home) => isWithin(from, home));

const emitterOf = (path: string): string | undefined => /^generator\/emitters\/([^/]+)\//.exec(path)?.[1];

/** `null`: a composition root, or a module that is missing in the table. */
const folderOf = (path: string): string | null => {
  const fitting = Object.keys(folderImports).filter((folder) => isWithin(path, folder));
  return fitting.sort((a, b) => b.length - a.length)[0] ?? null;
};

const isRoot = (path: string): boolean => compositionRoots.some((root) => isWithin(path, root));

/** Reads an entry of the table: a place, or `type` and a place. */
const readEntry = (entry: string): { readonly place: string; readonly isType: boolean } => {
  const isType = entry.startsWith('type ');
  return { place: isType ? entry.slice('type '.length) : entry, isType };
};

const isAllowed = ({ from, to, kind }: Import): boolean => {
  const folder = folderOf(from);
  if (folder === null || isWithin(to, folder)) return true;
  return (folderImports[folder] ?? [])
    .flat()
    .map(readEntry)
    .some(({ place, isType }) => isWithin(to, place) && (!isType || kind === 'type'));
};

const say = ({ from, to, kind }: Import): string => `${from} → ${to} (${kind})`;

describe('modules import', () => {
  it('modules of folders that the table allows', () => {
    expect(
      own.filter((each) => !isAllowed(each)).map(say),
      'test/layers.ts lists what each folder may import',
    ).toEqual([]);
  });

  it('everything that the table allows, and values where it allows more than types', () => {
    const homes = new Map(modules.map((path) => [path, folderOf(path)]));
    const permissions = Object.entries(folderImports).flatMap(([folder, entries]) =>
      entries.flatMap((each) =>
        [each].flat().map((entry) => ({ folder, entry, isShared: typeof each !== 'string' })),
      ),
    );
    const used = permissions.filter(({ folder, entry }) => {
      const { place, isType } = readEntry(entry);
      return own.some(
        ({ from, to, kind }) =>
          homes.get(from) === folder &&
          isWithin(to, place) &&
          !isWithin(to, folder) &&
          (kind === 'type') === isType,
      );
    });
    const unused = permissions.filter(
      ({ folder, entry, isShared }) =>
        !used.some((each) => each.entry === entry && (isShared ? each.isShared : each.folder === folder)),
    );
    expect(unused.map(({ folder, entry }) => `${folder} → ${entry}`)).toEqual([]);
  });

  it('libraries only in the folder of the library', () => {
    expect(imports.filter((each) => !isOwn(each) && !isHome(each)).map(say)).toEqual([]);
  });

  it('existing files', () => {
    expect(own.filter(({ to }) => !existsSync(`${to}.ts`)).map(say)).toEqual([]);
  });
});

it('emitters never import each other', () => {
  const across = own.filter(({ from, to }) => {
    const [one, other] = [emitterOf(from), emitterOf(to)];
    return one !== undefined && other !== undefined && one !== other;
  });
  expect(across.map(say)).toEqual([]);
});

/** Code and comments that name a database outside its folders, each with the reason. */
const namesDatabases: Readonly<Record<string, string>> = {
  'generator/introspection/catalog': 'the type that names them for everybody, and what only one of them has',
  'generator/introspection/folders': 'the line per folder of the generator',
  'runtime/databases/contract': 'the forms of DATABASE_URL',
  'runtime/databases/open': 'the line per folder of the runtime',
  'runtime/config': 'the forms of DATABASE_URL, and how to write them',
  'runtime/demo': 'the demo database is SQLite',
  'runtime/commands/demo': 'the demo database is SQLite',
};

it('databases are named in their folders alone', () => {
  const homes = /^(?:runtime\/databases|generator\/introspection)\/(?:mysql|postgres|sqlite)\//;
  const free = modules.filter(
    (path) => !homes.test(path) && !Object.keys(namesDatabases).some((place) => isWithin(path, place)),
  );
  const naming = free.filter((path) =>
    /mysql|mariadb|postgres|sqlite/i.test(readFileSync(`${path}.ts`, 'utf8')),
  );
  expect(naming).toEqual([]);
});

it('every exception for names of databases is needed', () => {
  const silent = Object.keys(namesDatabases).filter((place) => {
    const within = modules.filter((path) => isWithin(path, place));
    return !within.some((path) => /mysql|mariadb|postgres|sqlite/i.test(readFileSync(`${path}.ts`, 'utf8')));
  });
  expect(silent).toEqual([]);
});

it('every module is in the table or a composition root, and never both', () => {
  const free = modules.filter((path) => folderOf(path) === null);
  expect(modules.filter(isRoot)).toEqual(free);
  expect(compositionRoots.filter((root) => !free.some((path) => isWithin(path, root)))).toEqual([]);
});

describe('the README of a folder', () => {
  const folders = Object.keys(folderImports).filter(
    (folder) => isFolder(folder) && /^(?:contract|generator\/\w+|runtime\/\w+(?:\/\w+)?)$/.test(folder),
  );
  const own = [...new Set([...folders, ...largeFolders().filter((folder) => !isRoot(folder))])];
  const ofRoots = [...new Set([...compositionRoots, ...largeFolders().filter(isRoot)])].filter(isFolder);

  it.each([...own, ...ofRoots])('of %s is short and refers to existing files', (folder) => {
    const text = readFileSync(join(folder, 'README.md'), 'utf8');
    expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(10);
    const lists = text.split('\n').filter((line) => /^- (?:Read first|Copy):/.test(line));
    const named = lists.flatMap((line) => Array.from(line.matchAll(/`([^`]+)`/g), ([, path = '']) => path));
    expect(named.length).toBeGreaterThan(1);
    expect(named.filter((path) => !existsSync(join(folder, path)))).toEqual([]);
  });

  it.each(own)('of %s lists the imports that the table allows', (folder) => {
    const path = join(folder, 'README.md');
    if (process.env.UPDATE === 'docs') {
      writeFileSync(path, readFileSync(path, 'utf8').replace(/^- May import:.*$/m, printImports(folder)));
    }
    expect(
      readFileSync(path, 'utf8').split('\n'),
      'UPDATE=docs npx vitest run test/layers.test.ts writes this line',
    ).toContain(printImports(folder));
  });

  it.each(ofRoots)('of %s allows every import', (folder) => {
    expect(readFileSync(join(folder, 'README.md'), 'utf8')).toMatch(/^- May import: anything\b/m);
  });
});

const isFolder = (path: string): boolean => existsSync(path) && statSync(path).isDirectory();

/** Returns folders of `generator/` and `runtime/` with four modules or more. */
const largeFolders = (): readonly string[] => {
  const counts = new Map<string, number>();
  for (const path of modules) {
    const folder = dirname(path);
    if (/^(?:generator|runtime)\//.test(folder)) counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  return [...counts].flatMap(([folder, count]) => (count < 4 ? [] : [folder]));
};

/** Prints the line of a README that lists what its folder may import. */
const printImports = (folder: string): string => {
  const home = folderOf(folder) ?? folder;
  // modules of a folder without a line of its own also import those of the folder around it
  const around = home === folder ? [] : [home];
  const entries = [...around, ...(folderImports[home] ?? []).flat()].map(readEntry);
  const list = (only: boolean) =>
    entries
      .filter(({ isType }) => isType === only)
      .map(({ place }) => `\`${place.replace(/^runtime\//, '')}\``);
  const [values, types] = [list(false), list(true)];
  const parts = [
    ...(values.length > 0 ? [values.join(', ')] : []),
    ...(types.length > 0 ? [`types of ${types.join(', ')}`] : []),
  ];
  return `- May import: ${parts.length > 0 ? parts.join('; ') : 'libraries only'}.`;
};

it('a request process loads neither the generator nor the libraries of tools', () => {
  const loaded = [...closureOf('runtime/processes/request-process')];
  const heavy = [
    '@temporalio/client',
    'undici',
    'generator',
    'esbuild',
    'express',
    'commander',
    'knex',
    'objection',
    'js-yaml',
  ];
  expect(loaded.filter((path) => heavy.some((each) => isWithin(path, each)))).toEqual([]);
  expect(loaded).toContain('runtime/processes/prepare');
});

/** Returns all modules that loading a module loads. */
const closureOf = (entry: string): ReadonlySet<string> => {
  const loaded = new Set([entry]);
  // a Set also visits what is added on the way
  for (const path of loaded) {
    for (const { from, to, kind } of imports) if (from === path && kind === 'value') loaded.add(to);
  }
  return loaded;
};

/** Modules that load each other, each group with the reason. */
const circles: readonly (readonly [reason: string, ...modules: string[]])[] = [
  [
    'a relation in a read plan is a read plan, or groups of one',
    'runtime/plan/aggregate',
    'runtime/plan/fields',
    'runtime/plan/read',
  ],
  [
    'a filter reaches related rows, and so does a function, whose rules are filters',
    'runtime/plan/filter',
    'runtime/plan/functions',
    'runtime/plan/rule',
    'runtime/plan/scope',
  ],
];

const loads = (path: string): readonly string[] =>
  own.filter(({ from, kind }) => from === path && kind === 'value').map(({ to }) => to);

it('has no other circular imports', () => {
  const layers = ['contract', 'generator', 'runtime'];
  const inside = modules.filter((path) => layers.some((folder) => isWithin(path, folder)));
  const edges = new Map(inside.map((path) => [path, loads(path)]));
  const known = circles.map(([, ...group]) => group);
  expect(findCycles(edges).toSorted()).toEqual(known.toSorted());
});

it('finds a circle from any of its modules', () => {
  const edges = new Map([
    ['entry', ['c', 'd']],
    ['a', ['b']],
    ['b', ['c', 'd']],
    ['c', ['a', 'e']],
    ['d', []],
    ['e', ['f', 'g']],
    ['f', ['e']],
    ['g', ['g']],
  ]);
  expect(findCycles(edges)).toEqual([
    ['e', 'f'],
    ['a', 'b', 'c'],
  ]);
});

it.each([
  ["import { a } from './b.js';", 'runtime/b', 'value'],
  ["import {\n  a,\n  type B,\n} from '../generator/b.js';", 'generator/b', 'value'],
  ["import type { A } from './b.js';", 'runtime/b', 'type'],
  ["export * from './b.js';", 'runtime/b', 'value'],
  ["export type { A } from './b.js';", 'runtime/b', 'type'],
  ["import a, { b as c } from 'knex/lib/x';", 'knex', 'value'],
  ["import './b.js';", 'runtime/b', 'value'],
  ["const { a } = await import('@scope/lib/part');", '@scope/lib', 'lazy'],
])('the scan sees %j', (text, to, kind) => {
  expect(findImports(text, 'runtime/a')).toEqual([{ from: 'runtime/a', to, kind }]);
});

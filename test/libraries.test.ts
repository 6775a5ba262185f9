/** CONTRIBUTING says what every library is for. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

type Versions = Readonly<Record<string, string>>;

interface Manifest {
  readonly dependencies: Versions;
  readonly optionalDependencies: Versions;
  readonly peerDependencies: Versions;
  readonly peerDependenciesMeta: Readonly<Record<string, { readonly optional?: boolean }>>;
  readonly devDependencies: Versions;
}

const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as Manifest;
const [, section = ''] = /^## Libraries\n(.*?)^## /ms.exec(readFileSync('CONTRIBUTING.md', 'utf8')) ?? [];
const [shipped = '', development = ''] = section.split('For development and tests');

const namesIn = (text: string): readonly string[] =>
  Array.from(text.matchAll(/^\| `([^`]+)` +\| \S/gm), ([, name = '']) => name);

const named = (...lists: readonly Versions[]): readonly string[] =>
  lists.flatMap((list) => Object.keys(list));

it('CONTRIBUTING.md describes every runtime library and no other', () => {
  expect(namesIn(shipped).toSorted()).toEqual(
    named(manifest.dependencies, manifest.optionalDependencies).toSorted(),
  );
});

it('CONTRIBUTING.md describes every development library except types', () => {
  const expected = named(manifest.devDependencies).filter((name) => !name.startsWith('@types/'));
  expect(namesIn(development).toSorted()).toEqual(expected.toSorted());
});

it('versions are exact, and optional tools are optional peers of the tested version', () => {
  const { dependencies, optionalDependencies, devDependencies, peerDependencies } = manifest;
  const versions = [dependencies, optionalDependencies, devDependencies].flatMap((list) =>
    Object.values(list),
  );
  expect(versions.filter((version) => !/^(npm:[\w/@-]+@)?\d+\.\d+\.\d+$/.test(version))).toEqual([]);
  for (const [name, version] of Object.entries(peerDependencies)) {
    expect([name, devDependencies[name], manifest.peerDependenciesMeta[name]]).toEqual([
      name,
      version,
      { optional: true },
    ]);
  }
});

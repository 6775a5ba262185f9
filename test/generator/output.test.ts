import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { OutputError, writeOutput } from '../../generator/output.js';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-output-'));
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const file = (path: string, content = path) => ({ path, content });
const read = (path: string): string => readFileSync(join(folder, path), 'utf8');
const list = (): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => statSync(join(folder, path)).isFile())
    .sort();
const write = (...files: ReturnType<typeof file>[]) => writeOutput(folder, files, { check: false });
const check = (...files: ReturnType<typeof file>[]) => writeOutput(folder, files, { check: true });
const age = (path: string): number => statSync(join(folder, path)).mtimeMs;
const makeOld = (path: string): void => utimesSync(join(folder, path), 1, 1);

describe('writeOutput', () => {
  it('creates the folder and its subfolders', () => {
    const below = join(folder, 'a', 'b');
    const report = writeOutput(below, [file('server/x.ts'), file('catalog.json')], { check: false });
    expect(report).toEqual({
      written: ['.manifest', 'catalog.json', 'server/x.ts'],
      removed: [],
      unchanged: [],
    });
    expect(readFileSync(join(below, 'server/x.ts'), 'utf8')).toBe('server/x.ts');
  });

  it('replaces only files that differ', () => {
    write(file('a'), file('b'));
    makeOld('a');
    makeOld('b');
    expect(write(file('a'), file('b', 'new'))).toEqual({ written: ['b'], removed: [], unchanged: ['a'] });
    expect(age('a')).toBe(1000);
    expect(age('b')).toBeGreaterThan(1000);
    expect(read('b')).toBe('new');
  });

  it('writes nothing at all when nothing changed', () => {
    write(file('a'));
    makeOld('.manifest');
    expect(write(file('a'))).toEqual({ written: [], removed: [], unchanged: ['a'] });
    expect(age('.manifest')).toBe(1000);
  });

  it('removes files that it no longer writes, and empty folders', () => {
    write(file('a'), file('server/old/x.ts'));
    expect(write(file('a')).removed).toEqual(['server/old/x.ts']);
    expect(readdirSync(folder).sort()).toEqual(['.manifest', 'a']);
  });

  it('never removes a file that it did not write', () => {
    write(file('server/x.ts'), file('server/y.ts'));
    writeFileSync(join(folder, 'server/mine.ts'), 'mine');
    write(file('server/x.ts'));
    expect(list()).toEqual(['.manifest', 'server/mine.ts', 'server/x.ts']);
  });

  it('refuses to overwrite files that it did not write, lists them and changes nothing', () => {
    mkdirSync(join(folder, 'server'));
    writeFileSync(join(folder, 'server/x.ts'), 'mine');
    writeFileSync(join(folder, 'a'), 'mine');
    const files = [file('server/x.ts'), file('a'), file('b')];
    expect(() => write(...files)).toThrow(OutputError);
    expect(() => write(...files)).toThrow(/server\/x\.ts.*move it away/s);
    expect(list()).toEqual(['a', 'server/x.ts']);
  });

  it('counts an unrelated file as changed with "check", without an error', () => {
    writeFileSync(join(folder, 'a'), 'mine');
    expect(check(file('a')).written).toEqual(['.manifest', 'a']);
    expect(read('a')).toBe('mine');
  });

  it('adopts a file with the same content', () => {
    writeFileSync(join(folder, 'a'), 'a');
    expect(write(file('a'))).toEqual({ written: ['.manifest'], removed: [], unchanged: ['a'] });
  });

  it('reports changes with "check" without writing', () => {
    write(file('a'), file('b'), file('c'));
    const before = list().map((path) => [path, read(path), age(path)]);
    const report = check(file('a'), file('b', 'new'), file('d'));
    expect(report).toEqual({ written: ['.manifest', 'b', 'd'], removed: ['c'], unchanged: ['a'] });
    expect(list().map((path) => [path, read(path), age(path)])).toEqual(before);
  });

  it('does not even create the folder with "check"', () => {
    const absent = join(folder, 'absent');
    expect(writeOutput(absent, [file('a')], { check: true }).written).toEqual(['.manifest', 'a']);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('keeps the old output if a file cannot be written', () => {
    write(file('a'), file('b'));
    mkdirSync(join(folder, 'c'));
    expect(() => write(file('a', 'new'), file('c'))).toThrow(/EISDIR/);
    expect(read('a')).toBe('a');
    expect(readdirSync(folder).sort()).toEqual(['.manifest', 'a', 'b', 'c']);
  });

  it('recovers from an interrupted run, because the manifest is written before the first file', () => {
    write(file('a'), file('b'));
    writeFileSync(join(folder, '.manifest'), 'a\nb\nc\n');
    writeFileSync(join(folder, 'c'), 'half of it');
    expect(write(file('a'), file('c'))).toEqual({
      written: ['.manifest', 'c'],
      removed: ['b'],
      unchanged: ['a'],
    });
    expect(read('.manifest')).toBe('a\nc\n');
  });

  it.each(['../outside', '/etc/outside', 'server/../../outside'])('rejects a manifest with %s', (path) => {
    writeFileSync(join(folder, '.manifest'), `${path}\n`);
    expect(() => write(file('a'))).toThrow(/outside; restore or delete the manifest/);
  });

  it('compares bytes, so that text outside ASCII is no change', () => {
    write(file('a', 'é 日本 😀\n'));
    expect(write(file('a', 'é 日本 😀\n')).written).toEqual([]);
  });
});

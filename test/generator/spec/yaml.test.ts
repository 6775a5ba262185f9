import { describe, expect, it } from 'vitest';
import { nearest, pathKey } from '../../../generator/spec/faults.js';
import type { SpecFault } from '../../../generator/spec/types.js';
import { nodeToData, parseYaml, positionsOf } from '../../../generator/spec/yaml.js';

const read = (text: string) => {
  const faults: SpecFault[] = [];
  const node = parseYaml(text, 'a.yaml', faults);
  if (node === null) throw new Error(faults.map(({ message }) => message).join());
  const places = [...positionsOf(node)].map(([path, { line, column }]) => `${path} ${line}:${column}`);
  return { data: nodeToData(node), places };
};

describe('YAML', () => {
  it.each([
    ['a: 1', { a: 1 }],
    ['a: {b: [x, "1", 1.5, true, null, ~]}', { a: { b: ['x', '1', 1.5, true, null, null] } }],
    ['a: yes\nb: 2020-01-01\nc: 010', { a: 'yes', b: '2020-01-01', c: 10 }],
    ['1: one\nnull: none', { 1: 'one', null: 'none' }],
    ['a: &x {b: 1}\nc: *x', { a: { b: 1 }, c: { b: 1 } }],
    ['a: |\n  two\n  lines\n', { a: 'two\nlines\n' }],
    ['"\\u0061": !!str 1', { a: '1' }],
    ['constructor: 1\ntoString:', { constructor: 1, toString: null }],
  ])('%j is read', (text, data) => {
    expect(read(text).data).toEqual(data);
  });

  it('gives keys and list entries their lines and columns, for all line endings', () => {
    const places = [' 1:1', 'a 1:1', 'a.b 2:3', 'a.b.0 3:5', 'a.b.1 3:8', 'a.b.1.c\\.d 3:9'];
    for (const end of ['\n', '\r\n', '\r']) {
      expect(read(['a:', '  b:', '   [1, {"c.d": 2}]', ''].join(end)).places).toEqual(places);
    }
  });

  it('keeps dots in keys apart from dots between keys', () => {
    expect(pathKey(['a.b', 'c'])).not.toBe(pathKey(['a', 'b.c']));
    expect(pathKey(['a\\', 'b'])).not.toBe(pathKey(['a\\.b']));
  });
});

describe('the suggestion for a misspelled word', () => {
  const known = ['title', 'version', 'description', 'id', 'Name'];
  it.each([
    ['titel', 'title'],
    ['Title', 'title'],
    ['name', 'Name'],
    ['descripton', 'description'],
    ['ids', 'id'],
    ['something', null],
    ['xyz', null],
  ])('for %s is %s', (word, want) => {
    expect(nearest(word, known)).toBe(want);
  });
});

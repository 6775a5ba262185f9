import { describe, expect, it } from 'vitest';
import { nearest } from '../../../generator/spec/faults.js';
import type { SpecFault } from '../../../generator/spec/types.js';
import { nodeToData, parseYaml, positionIn } from '../../../generator/spec/yaml.js';

const read = (text: string) => {
  const faults: SpecFault[] = [];
  const node = parseYaml(text, 'a.yaml', faults);
  if (node === null) throw new Error(faults.map(({ message }) => message).join());
  const placeOf = (...path: readonly string[]): string | undefined => {
    const position = positionIn(node, path);
    return position && `${position.line}:${position.column}`;
  };
  return { data: nodeToData(node), placeOf };
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
    for (const end of ['\n', '\r\n', '\r']) {
      const { placeOf } = read(['a:', '  b:', '   [1, {"c.d": 2}]', ''].join(end));
      const places = [
        placeOf(),
        placeOf('a'),
        placeOf('a', 'b'),
        placeOf('a', 'b', '0'),
        placeOf('a', 'b', '1'),
        placeOf('a', 'b', '1', 'c.d'),
      ];
      expect(places).toEqual(['1:1', '1:1', '2:3', '3:5', '3:8', '3:9']);
    }
  });

  it('has no position for what is not there', () => {
    const { placeOf } = read('a: { b: [1] }');
    const absent = [['b'], ['a', 'c'], ['a', 'b', '1'], ['a', 'b', '0', 'c'], ['a.b'], ['a', 'b', 'length']];
    expect(absent.map((path) => placeOf(...path))).toEqual(absent.map(() => undefined));
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

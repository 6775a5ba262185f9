import { readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { format } from 'oxfmt';
import { describe, expect, it } from 'vitest';
import {
  array,
  arrayType,
  call,
  layout,
  object,
  objectType,
  pair,
  union,
  type Code,
} from '../../../generator/print/code.js';
import { code, codeBlock, link, paragraph, table, text } from '../../../generator/print/markdown.js';
import { docComment, lineComment, objectKey, str, typeKey } from '../../../generator/print/typescript.js';
import { printValue } from '../../../generator/print/value.js';

const { $schema: _, ...style } = JSON.parse(readFileSync('.oxfmtrc.json', 'utf8')) as Record<string, unknown>;

const formatted = async (source: string): Promise<string> => {
  const { code, errors } = await format('x.ts', source, style);
  expect(errors).toEqual([]);
  return code;
};

const evaluate = (source: string): unknown => new Function(`return (${source})`)();

/** Names as databases may have them: any character, and those that mean something in code. */
const anyName = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.constantFrom(
    '__proto__',
    'constructor',
    "it's",
    'a"b',
    'a\\',
    '${x}',
    '`',
    '\u2028',
    '*/',
    'é',
    '1',
    'a b',
    '',
  ),
);
const word = fc.stringMatching(/^[a-z]{1,30}$/);

describe('str', () => {
  it.each([
    ['plain', "'plain'"],
    ["it's", `"it's"`],
    [`"it's"`, `'"it\\'s"'`],
    ['a\\b', "'a\\\\b'"],
    ['line\nbreak\ttab', "'line\\nbreak\\ttab'"],
    ['\u202eevil\u2028', "'\\u202eevil\\u2028'"],
    ['\u{e0001}', "'\\u{e0001}'"],
    ['日本 é', "'日本 é'"],
  ])('prints %j as %s', (value, printed) => {
    expect(str(value)).toBe(printed);
  });

  it('prints code that evaluates to the same text, for any text', () => {
    fc.assert(
      fc.property(anyName, (name) => {
        expect(evaluate(str(name))).toBe(name);
      }),
    );
  });
});

describe('keys', () => {
  it.each([
    ['name', 'name', 'name'],
    ['class', 'class', 'class'],
    ['a b', "'a b'", "'a b'"],
    ['1', "'1'", "'1'"],
    ['é', 'é', 'é'],
    ['', "''", "''"],
    ['__proto__', "['__proto__']", '__proto__'],
  ])('of %j are %s in an object and %s in a type', (name, inObject, inType) => {
    expect(objectKey(name)).toBe(inObject);
    expect(typeKey(name)).toBe(inType);
  });

  it('make own properties of every name, including __proto__', () => {
    fc.assert(
      fc.property(anyName, (name) => {
        expect(Object.keys(evaluate(`{ ${objectKey(name)}: 1 }`) as object)).toEqual([name]);
      }),
    );
  });
});

describe('comments', () => {
  it('stay on one line if they fit', () => {
    expect(docComment('A note')).toBe('/** A note */');
  });

  it('wrap long text and keep the line breaks of the author', () => {
    const lines = docComment(`${'word '.repeat(40)}\nsecond`, 2).split('\n');
    expect(lines[0]).toBe('/**');
    expect(lines.at(-2)).toBe(' * second');
    expect(Math.max(...lines.map((line) => line.length + 2))).toBeLessThanOrEqual(110);
  });

  it('cannot be closed by their text', () => {
    const anyNote = fc.oneof(anyName, fc.constantFrom('*/ x /*', '\n*/', '\u2029x'));
    fc.assert(
      fc.property(anyNote, (note) => {
        expect(evaluate(`${docComment(note)}\nnull`)).toBe(null);
        expect(evaluate(`${lineComment(note)}\nnull`)).toBe(null);
      }),
    );
  });

  it('cannot contain compiler directives', () => {
    expect(docComment('@ts-expect-error')).toBe('/** @ ts-expect-error */');
  });
});

describe('layout', () => {
  const leaf: fc.Arbitrary<Code> = word.map(str);
  const { value } = fc.letrec<{ value: Code }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      leaf,
      fc.array(tie('value'), { maxLength: 4 }).map(array),
      fc
        .array(fc.tuple(word, tie('value')), { maxLength: 4 })
        .map((entries) => object(entries.map(([key, entry]) => pair(`${objectKey(key)}:`, entry)))),
    ),
  }));
  const names = fc.array(leaf, { minLength: 1, maxLength: 3 }).map(array);
  const relation = fc
    .tuple(leaf, names, names, fc.dictionary(word, leaf, { noNullPrototype: true, minKeys: 1, maxKeys: 2 }))
    .map(([target, fields, references, options]) => {
      const entries = Object.entries(options).map(([key, entry]) => pair(`${key}:`, entry));
      return call('oneToMany', [target, fields, references, object(entries)]);
    });

  it('matches the formatter for field tables and relations', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(word, fc.oneof(value, relation)), { minLength: 1 }),
        async (entries) => {
          const table = object(
            entries.map(([key, entry]) => pair(`${key}:`, entry)),
            { expand: true },
          );
          const source = `const fields = ${layout(table)};\n`;
          expect(source).toBe(await formatted(source));
        },
      ),
      { seed: 81, numRuns: 400 },
    );
  });

  const { type } = fc.letrec<{ type: Code }>((tie) => ({
    type: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom('string', 'number', 'unknown'),
      fc.uniqueArray(word, { minLength: 2, maxLength: 6 }).map((words) => union(words.map(str))),
      fc.tuple(tie('type')).map(([item]) => arrayType(item)),
      fc
        .uniqueArray(fc.tuple(word, tie('type')), { minLength: 1, maxLength: 3, selector: ([key]) => key })
        .map((members) => objectType(members.map(([key, member]) => pair(`${key}:`, member)))),
      fc.tuple(tie('type')).map(([item]) => union([item, 'null'])),
    ),
  }));

  it('matches the formatter for types', async () => {
    await fc.assert(
      fc.asyncProperty(type, async (item) => {
        const source = `export type X = ${layout(item)};\n`;
        const laidOut = `${layout(pair('export type X =', item), { tail: 1 })};\n`;
        expect(laidOut).toBe(await formatted(source));
      }),
      { seed: 82, numRuns: 400 },
    );
  });

  it('prints data that evaluates to the same data', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (data) => {
        expect(JSON.stringify(evaluate(layout(printValue(data))))).toBe(JSON.stringify(data));
      }),
    );
  });
});

describe('markdown', () => {
  it.each([
    ['a | b', 'a \\| b'],
    ['<script>&amp;', '&lt;script>&amp;amp;'],
    ['*bold* _it_ [x](y) ~~no~~', '\\*bold\\* \\_it\\_ \\[x\\](y) \\~\\~no\\~\\~'],
    ['says `code`, a`b and svc_users', 'says `code`, a\\`b and svc_users'],
    ['`a|b` is code', '<code>a&#124;b</code> is code'],
    ['line\nbreak', 'line break'],
  ])('prints the text %j as %s', (value, printed) => {
    expect(text(value)).toBe(printed);
  });

  it.each([
    ['# head', '\\# head'],
    ['- item', '\\- item'],
    ['1. item', '1\\. item'],
    ['10) item', '10\\) item'],
    ['2.5 metres', '2\\.5 metres'],
  ])('prints the paragraph %j as %s', (value, printed) => {
    expect(paragraph(value)).toBe(printed);
  });

  it.each([
    ['name', '`name`'],
    ['a b', '`a b`'],
    ['a|b', '<code>a&#124;b</code>'],
    ['`', '<code>&#96;</code>'],
    ['a\\', '<code>a&#92;</code>'],
    [' a', '<code> a</code>'],
    ['<b>', '`<b>`'],
    ['a\nb', '<code>a&#92;u000ab</code>'],
  ])('prints the name %j as %s', (value, printed) => {
    expect(code(value)).toBe(printed);
  });

  it('keeps table rows intact for any content', () => {
    fc.assert(
      fc.property(anyName, (name) => {
        const row = table(['A', 'B'], [[code(name), `x${text(name)}`]])
          .split('\n')
          .slice(2);
        expect(row).toHaveLength(1);
        expect(row[0]?.replaceAll(/\\./gu, '').split('|')).toHaveLength(4);
      }),
    );
  });

  it('leaves out columns of a table that are empty in every row', () => {
    const rows = [
      ['a', '', 'b'],
      ['', '', 'c'],
    ];
    expect(table(['A', 'B', 'C'], rows)).toBe('| A | C |\n| --- | --- |\n| a | b |\n|  | c |');
    expect(table(['A'], [])).toBe('| A |\n| --- |');
  });

  it('fences code that contains fences', () => {
    expect(codeBlock('sh', 'echo "```"')).toBe('````sh\necho "```"\n````');
  });

  it('links to files with any name', () => {
    expect(link('a [b]', 'größe 1.md')).toBe('[a \\[b\\]](gr%C3%B6%C3%9Fe%201.md)');
  });
});

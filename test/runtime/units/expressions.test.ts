/** Regular expressions of users: linear, and with the meaning they have in ECMAScript. */
import { describe, expect, it } from 'vitest';
import { compileExpression, findUnsupported, findUnsupportedIn } from '../../../contract/expressions.js';
import { createAjv, UndecidedPattern } from '../../../runtime/request/json-schema.js';
import { checkInput, checkOutput } from '../../../runtime/queue/models/input.js';

const test = (source: string, text: string): boolean | null => {
  const expression = compileExpression(source);
  if (!expression.supported) throw new Error(expression.reason);
  return expression.test(text);
};

const texts = [
  '',
  'a',
  'A',
  'abc',
  'a-b_9',
  'é',
  'ſ',
  'Ω',
  'a b',
  'a\u00a0b',
  'a\u2003b',
  'a\ufeffb',
  'a\vb',
  'a\u0085b',
  'a\nb',
  'a\rb',
  'a\u2028b',
  'a\n',
  '\u0000',
  '\b',
  '\u0001',
  '😀',
  '😀😀',
  '\ud83d',
  'someone@example.com',
  '2026-11-24',
  '{}',
  'a{,5}',
  '[x]',
  ']',
  '\\',
  '/',
  '١',
];

const expressions = [
  '^$',
  '^.$',
  '^..$',
  'a.b',
  '^[^@\\s]+@[^@\\s]+$',
  '^\\S+$',
  '\\s',
  '[\\s]',
  '[^\\s]',
  '[\\S]',
  '^[^\\S]*$',
  '\\d',
  '^\\D$',
  '\\w+',
  '\\W',
  '\\ba\\b',
  '\\Bb',
  '[\\b]',
  'b$',
  '^b',
  '^\\p{L}+$',
  '\\P{L}',
  '^\\p{Lu}$',
  '\\p{Script=Greek}',
  '\\p{sc=Greek}',
  '\\p{gc=Nd}',
  '^\\u{1F600}$',
  '^\\ud83d\\ude00$',
  '^[\\ud83d\\ude00]{2}$',
  '^[😀]$',
  '\\u00e9',
  '\\xe9',
  '\\cA',
  '\\0',
  '\\v',
  '[]',
  '[^]',
  '^[^]$',
  '\\/',
  '\\\\',
  '\\{\\}',
  '\\[x\\]',
  '^[\\w\\-.]+$',
  '^[[x\\]]+$',
  '^(?:a|b)+?c$',
  '^(?<first>a)(b)',
  '^a{1,2}$',
  '^\\d{4}-\\d{2}-\\d{2}$',
  '(a+)+$',
];

describe('an expression matches as in ECMAScript:', () => {
  it.each(expressions)('%s', (source) => {
    const native = new RegExp(source, 'u');
    const expected = texts.filter((text) => native.test(text));
    expect(texts.filter((text) => test(source, text))).toEqual(expected);
  });

  it.each([
    ['\\@', 'someone@example.com'],
    ['a{', 'a{,5}'],
    ['^a{,5}$', 'a{,5}'],
    ['^]$', ']'],
    ['^[[:alpha:]', ':'],
  ])('%s, which only older expressions may contain', (source, text) => {
    expect([new RegExp(source).test(text), test(source, text)]).toEqual([true, true]);
  });

  it('(?i) ignores case, in all of it or in a group', () => {
    expect([test('(?i)^aBC$', 'AbC'), test('^(?i:a)b$', 'Ab'), test('^(?i:a)b$', 'AB')]).toEqual([
      true,
      true,
      false,
    ]);
  });
});

describe('rejects what cannot be matched in linear time or differs in ECMAScript:', () => {
  it.each([
    ['a(?=b)', 'look-ahead "(?="'],
    ['a(?!b)', 'look-ahead "(?!"'],
    ['(?<=a)b', 'look-behind "(?<="'],
    ['(?<!a)b', 'look-behind "(?<!"'],
    ['(a)\\1', 'the back-reference "\\1"'],
    ['(?<n>a)\\k<n>', 'the back-reference "\\k"'],
    ['(?P<n>a)', 'the group "(?P"'],
    ['(?s).', 'the group "(?s"'],
    ['\\Aa\\z', 'the escape "\\A"'],
    ['\\pL', 'the escape "\\p"'],
    ['a\\', 'the escape "\\"'],
    ['\\x4', 'the escape "\\x"'],
    ['a{1001}', 'invalid repeat count: `{1001}`'],
    ['(?:a{100}){100}', 'invalid repeat count: `{100}`'],
    ['a{1000}b{1000}c{1000}d{1000}', 'too many repetitions'],
    ['a'.repeat(1_001), 'more than 1000 characters'],
    ['(', 'missing closing ): `(`'],
    ['[a-', 'missing closing ]: `[a-`'],
  ])('%s', (source, reason) => {
    expect(findUnsupported(source)).toBe(`"${source}" is not a supported regular expression: ${reason}`);
  });

  it('a filter reports every one', () => {
    const filter = {
      _and: [{ title: { _regex: '(?=a)' } }, { _or: [{ slug: { _regex: '\\1' } }, { id: 1 }] }],
    };
    expect(findUnsupportedIn(filter).map((problem) => problem.slice(0, 7))).toEqual(['"(?=a)"', '"\\1" is']);
    expect(findUnsupportedIn({ title: { _regex: '^a$' } })).toEqual([]);
  });
});

describe('the cost of a test is bounded:', () => {
  it.each([
    ['^(a+)+$', 'a'.repeat(45) + '!'],
    ['^(a|a)*$', 'a'.repeat(100_000) + '!'],
    ['^(\\w+\\s?)*$', 'word '.repeat(20_000) + '!'],
    ['(x+x+)+y', 'x'.repeat(100_000)],
  ])('%s', (source, text) => {
    expect(test(source, text)).toBe(false);
  });

  it('does not decide a text that is too long for the expression', () => {
    expect(test('^(?:a|b){900}$', 'a'.repeat(100_000))).toBeNull();
    expect(test('^a+$', 'a'.repeat(400_000))).toBe(true);
  });

  it('compiles an expression once', () => {
    expect(compileExpression('^once$')).toBe(compileExpression('^once$'));
  });
});

describe('JSON Schemas:', () => {
  const schema = {
    type: 'object',
    properties: { name: { type: 'string', pattern: '^(a+)+$' }, link: { type: 'string', format: 'url' } },
    patternProperties: { '^(b+)+$': { type: 'integer' } },
  };

  it('"pattern" and "patternProperties" are matched in linear time', () => {
    const value = { name: `${'a'.repeat(45)}!`, [`${'b'.repeat(45)}!`]: 'x', bb: 'x' };
    const details = checkInput({ input: schema }, value);
    expect(details.map(({ loc }) => loc.at(-1))).toEqual(['name', 'bb']);
  });

  it('keeps the patterns of a schema separate', () => {
    const validate = createAjv({ strict: false }).compile({
      properties: { one: { pattern: '^1$' }, two: { pattern: '^2$' } },
    });
    expect([validate({ one: '1', two: '2' }), validate({ one: '1', two: '1' })]).toEqual([true, false]);
  });

  it('the format "url" rejects a text longer than a URL', () => {
    const link = `http://${':'.repeat(100_000)}`;
    expect(checkInput({ input: schema }, { link })).toHaveLength(1);
    expect(checkInput({ input: schema }, { link: 'https://example.com/a?b=c' })).toEqual([]);
  });

  it('rejects a text that is too long for a pattern, also below "not"', () => {
    const bounded = { type: 'object', properties: { name: { not: { pattern: '^(?:a|b){900}$' } } } };
    const value = { name: 'c'.repeat(100_000) };
    expect(checkInput({ input: bounded }, value)).toEqual([
      {
        loc: ['body'],
        msg: 'string is too long for regex "^(?:a|b){900}$"',
        type: 'value_error.str.regex',
      },
    ]);
    expect(checkOutput({ output: bounded }, value)).not.toEqual([]);
    expect(() => createAjv({ strict: false }).compile(bounded)(value)).toThrow(UndecidedPattern);
  });

  it('reports an unsupported expression', () => {
    const ajv = createAjv({ strict: false });
    expect(() => ajv.compile({ pattern: '^(?=a)' })).toThrow(
      '"^(?=a)" is not a supported regular expression: look-ahead "(?="',
    );
  });
});

const url = (length: number): string => 'https://a.example/'.padEnd(length, 'b');

it('a URL of a schema has at most 2048 characters', () => {
  const validate = createAjv({ strict: false }).compile({ type: 'string', format: 'url' });
  expect([validate(url(2_048)), validate(url(2_049)), validate('no URL')]).toEqual([true, false, false]);
});

/** Expressions of a schema as trees. */
import { describe, expect, it } from 'vitest';
import { parseExpression } from '../../../runtime/schema/expressions/parse.js';
import { neutralSyntax } from '../../../runtime/schema/expressions/syntax.js';
import type { ColumnKinds } from '../../../runtime/schema/expressions/tree.js';

const columns: ColumnKinds = new Map([['n', 'number']]);
const parse = (sql: string) => parseExpression(sql, { columns, syntax: neutralSyntax });

const nested = (levels: number): string => `${'abs('.repeat(levels)}n${')'.repeat(levels)}`;
const wide = (terms: number): string => Array.from({ length: terms }, (_, at) => `n = ${at}`).join(' or ');

describe('an expression', () => {
  it.each([
    ['n between 1 and 5', 'n >= 1 and n <= 5'],
    ['n not between 1 and 5', 'n < 1 or n > 5'],
    ['not n between 1 and 5', 'not (n >= 1 and n <= 5)'],
    ['n not in (1, 2)', 'not (n in (1, 2))'],
    ['not not n = 1', 'n = 1'],
    ['n is not null', 'not n is null'],
  ])('%s is %s', (spelling, other) => {
    const tree = parse(spelling);
    expect(tree).not.toBeNull();
    expect(tree).toEqual(parse(other));
  });

  it.each([
    ['16 levels', nested(15), nested(16)],
    ['200 nodes', wide(66), wide(67)],
    ['10 000 characters', `n = 1${' '.repeat(9_995)}`, `n = 1${' '.repeat(9_996)}`],
  ])('has at most %s', (_, largest, tooLarge) => {
    expect(parse(largest)).not.toBeNull();
    expect(parse(tooLarge)).toBeNull();
  });
});

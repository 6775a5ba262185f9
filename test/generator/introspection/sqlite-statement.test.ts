import { describe, expect, it } from 'vitest';
import { readIndexTerms, readTableStatement } from '../../../generator/introspection/sqlite/statement.js';

describe('a CREATE TABLE statement', () => {
  it.each<[title: string, sql: string, want: object]>([
    ['without constraints', 'CREATE TABLE t (a, b TEXT)', {}],
    [
      'with a counter that gives no key twice',
      'CREATE TABLE t (id INTEGER PRIMARY KEY AUTOINCREMENT)',
      { autoincrement: true },
    ],
    [
      'with quoted words that look like constraints',
      `CREATE TABLE "autoincrement (unique)" ("unique" TEXT DEFAULT 'unique, references x', [check] INT, \`foreign\` INT)`,
      {},
    ],
    [
      'with commas, brackets and keywords in comments',
      'CREATE TABLE t (a INT, -- unique ( , \n /* references x ) */ b INT UNIQUE)',
      { uniques: [{ name: null, columns: ['b'] }] },
    ],
    [
      'with named and nameless column constraints',
      `CREATE TABLE t (a TEXT CONSTRAINT filled NOT NULL UNIQUE, b TEXT CONSTRAINT "b once" UNIQUE COLLATE NOCASE,
        c INT CONSTRAINT [to x] REFERENCES x ON DELETE SET NULL ON UPDATE SET DEFAULT, d INT REFERENCES y (a, b))`,
      {
        uniques: [
          { name: null, columns: ['a'] },
          { name: 'b once', columns: ['b'] },
        ],
        collations: new Map([['b', 'NOCASE']]),
        foreignKeys: [
          { name: 'to x', columns: ['c'] },
          { name: null, columns: ['d'] },
        ],
      },
    ],
    [
      'with table constraints',
      `CREATE TABLE t (a, b, PRIMARY KEY (a), CONSTRAINT ab UNIQUE ("a" COLLATE NOCASE, [b] DESC) ON CONFLICT IGNORE,
        CONSTRAINT c CHECK (a > (1 + 2)), FOREIGN KEY (b) REFERENCES x (y), constraint 'it''s' foreign key (a, b) references x)`,
      {
        uniques: [{ name: 'ab', columns: ['a', 'b'] }],
        checks: [{ name: 'c', sql: 'a > (1 + 2)' }],
        foreignKeys: [
          { name: null, columns: ['b'] },
          { name: "it's", columns: ['a', 'b'] },
        ],
        hasUnread: true,
      },
    ],
    [
      'with table constraints that no comma parts',
      'CREATE TABLE t (a, CONSTRAINT x UNIQUE (a) CHECK (a > 1) CONSTRAINT y FOREIGN KEY (a) REFERENCES z UNIQUE (a))',
      {
        uniques: [
          { name: 'x', columns: ['a'] },
          { name: null, columns: ['a'] },
        ],
        checks: [{ name: null, sql: 'a > 1' }],
        foreignKeys: [{ name: 'y', columns: ['a'] }],
      },
    ],
    [
      'with generated columns',
      `CREATE TABLE t (a, "B" INT GENERATED ALWAYS AS (a + length('x)')) STORED UNIQUE, c AS ( "B" /* ) */ * 2 ))`,
      {
        uniques: [{ name: null, columns: ['B'] }],
        generated: new Map([
          ['b', "a + length('x)')"],
          ['c', '"B" /* ) */ * 2'],
        ]),
      },
    ],
    ['that is not one', 'nothing', {}],
  ])('%s is read', (_, sql, want) => {
    const nothing = {
      autoincrement: false,
      uniques: [],
      foreignKeys: [],
      generated: new Map(),
      checks: [],
      collations: new Map(),
    };
    expect(readTableStatement(sql)).toEqual({ ...nothing, ...want });
  });
});

describe('a CREATE INDEX statement', () => {
  it.each<[sql: string, parts: string[]]>([
    ['CREATE INDEX i ON t (a)', ['a']],
    [
      'CREATE UNIQUE INDEX "i (x)" ON "t (y)" (lower(a) DESC, b COLLATE NOCASE ASC, (c + d))',
      ['lower(a)', 'b COLLATE NOCASE', '(c + d)'],
    ],
    ["CREATE INDEX i ON t (a || '), (' || b) WHERE (a > 1)", ["a || '), (' || b"]],
  ])('%s gives the text of its parts', (sql, parts) => {
    expect(readIndexTerms(sql)).toEqual(parts);
  });
});

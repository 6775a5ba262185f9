/** Compiled documents are kept from their second use on, and not without end. */
import { buildSchema, parse } from 'graphql';
import { expect, it } from 'vitest';
import { createDocuments } from '../../../runtime/graphql/document-cache.js';
import type { DocumentOptions } from '../../../runtime/graphql/document.js';
import type { View } from '../../../runtime/graphql/schema.js';

const sdl = 'type Query { id: ID }';

const createView = (): View => ({
  schema: buildSchema(sdl),
  document: parse(sdl),
  hasInheritedNames: false,
  cache: new Map(),
});

const options = { introspection: true, maxTokens: 5_000 } as unknown as DocumentOptions;

/** Compiles documents, each twice, and returns how many the view keeps. */
const countKept = (documents: readonly string[]): number => {
  const view = createView();
  const { compile } = createDocuments(options);
  for (const document of documents) {
    for (let use = 0; use < 2; use += 1)
      compile({ document, operationName: null, variables: {} } as Parameters<typeof compile>[0], view);
  }
  return [...view.cache.values()].reduce<number>((sum, kept) => sum + (kept as Map<string, unknown>).size, 0);
};

const documentsOf = (count: number, length: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `{ a${index}: __typename }`.padEnd(length, ' '));

it('keeps five hundred documents', () => {
  expect(countKept(documentsOf(400, 30))).toBe(400);
  expect(countKept(documentsOf(600, 30))).toBe(500);
});

it('keeps half a million characters', () => {
  expect(countKept(documentsOf(40, 16_000))).toBe(32);
});

it('does not keep a document of more than 16 384 characters', () => {
  expect(countKept(documentsOf(1, 16_385))).toBe(0);
});

it('tells the name of an operation from the text that follows it', () => {
  const view = createView();
  const { compile } = createDocuments(options);
  const run = (operationName: string, document: string) =>
    compile({ document, operationName, variables: {} } as Parameters<typeof compile>[0], view);
  run('A', 'query A { __typename }');
  run('A', 'query A { __typename }');
  expect(() => run('Aquery', ' A { __typename }')).toThrow('Unexpected Name "A"');
});

/** Documents of the GraphQL client, which are valid in the schema that they are made from. */
import { buildASTSchema, parse, validate } from 'graphql';
import { describe, expect, it } from 'vitest';
import { rootDocuments } from '../../../generator/client/documents.js';
import { cases, readTree } from '../emitters/cases.js';

describe.each(cases)('the schemas of $name', ({ expected }) => {
  const files = [...readTree(expected)].filter(([path]) => path.endsWith('.graphql'));

  it.each(files)('%s has valid documents', (_path, sdl) => {
    const schema = buildASTSchema(parse(sdl));
    const documents = rootDocuments(schema);
    expect(documents.length).toBeGreaterThan(0);
    expect(
      documents.flatMap(({ text }) => validate(schema, parse(text)).map(({ message }) => message)),
    ).toEqual([]);
  });
});

it('selects the key of each target of a many-to-any relation', () => {
  const schema = buildASTSchema(
    parse(
      'type Query { block: block } type block { id: ID! item: target targets: [target] } union target = image | quote ' +
        'type image { id: ID! width: Int } type quote { text: String }',
    ),
  );
  expect(rootDocuments(schema).map(({ text }) => text)).toEqual([
    'query block { block { id item { ... on image { id } ... on quote { __typename } } } }',
  ]);
});

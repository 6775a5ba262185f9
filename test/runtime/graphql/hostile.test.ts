/** Documents that are meant to hurt: each is answered 400 with a code and a reason, and nothing is run. */
import { describe, expect, it } from 'vitest';
import { useServer } from '../harness/use-server.js';
import { ask } from './library.js';

const server = useServer({
  dialect: 'sqlite',
  sql: `create table people (id integer primary key, name text, friend integer references people (id));
    insert into people values (1, 'Ada', null), (2, 'Bo', 1);`,
});

const nest = (levels: number, inner: string): string =>
  'friend { '.repeat(levels) + inner + ' }'.repeat(levels);
const list = (count: number, item: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => item(index)).join(' ');

/** Ten fragments, each with the next one twice under two names: 2^10 fields and more. */
const doubling = `{ people { ...f0 } } ${list(12, (index) => `fragment f${index} on people { a: friend { ...f${index + 1} } b: friend { ...f${index + 1} } }`)} fragment f12 on people { id }`;

const documents: readonly [string, string, RegExp][] = [
  ['nesting of selections', `{ people { ${nest(60, 'id')} } }`, /nested deeper than 40 levels/],
  ['nesting that exhausts parsers', '{ a '.repeat(50_000), /nested deeper than 200 brackets/],
  [
    'nesting of values',
    `{ people(filter: ${'{ _and: ['.repeat(150)}${'] }'.repeat(150)}) { id } }`,
    /nested deeper than 200 brackets/,
  ],
  [
    'brackets in texts count for nothing',
    `{ people(search: "${'('.repeat(400)}") { colour } }`,
    /Cannot query field "colour"/,
  ],
  ['aliases', `{ ${list(101, (index) => `a${index}: people { id }`)} }`, /more than 100 aliases/],
  ['tokens', `{ people { ${'id '.repeat(5_000)} } }`, /contains more that 5000 tokens|more than 5000 tokens/],
  [
    'the same field again and again',
    `{ people { ${'id '.repeat(2_400)} id: name } }`,
    /Fields "id" conflict/,
  ],
  [
    'fragments in a circle',
    '{ people { ...a } } fragment a on people { friend { ...b } } fragment b on people { friend { ...a } }',
    /Cannot spread fragment "a" within itself/,
  ],
  [
    'a fragment in itself',
    '{ people { ...a } } fragment a on people { ...a }',
    /Cannot spread fragment "a" within itself/,
  ],
  ['fragments that double', doubling, /selects more than 2000 fields/],
  ['directives', `{ people { id ${'@include(if: true) '.repeat(101)} } }`, /more than 100 directives/],
  [
    'repeated directives',
    '{ people { id @skip(if: true) @skip(if: true) } }',
    /"@skip" can only be used once/,
  ],
  [
    'operations',
    list(201, (index) => `query q${index} { people { id } }`),
    /more than 200 operations and fragments/,
  ],
  [
    'introspection in depth',
    `{ __schema { types { fields { type { fields { type { fields { type { fields { name } } } } } } } } } }`,
    /introspection depth/i,
  ],
  ['an unknown directive', '{ people @defer { id } }', /Unknown directive "@defer"/],
  ['a subscription', 'subscription { people { id } }', /has no subscription/],
  ['nothing', '   ', /Unexpected <EOF>/],
  ['a schema', 'type Query { a: Int }', /not executable|one operation/],
  ['half a document', '{ people { id', /Expected Name, found <EOF>/],
];

describe('a document is rejected', () => {
  it.each(documents)('for %s', async (_, document, reason) => {
    const { status, codes, problems } = await ask(server(), document);
    expect({ status, codes }).toEqual({ status: 400, codes: ['GRAPHQL_VALIDATION'] });
    expect(problems.join('\n')).toMatch(reason);
  });

  it('for a missing operation', async () => {
    const found = await ask(server(), 'query a { people { id } }', { operationName: 'b' });
    expect([found.status, found.problems]).toEqual([400, ['The document has no operation "b".']]);
    const many = await ask(server(), 'query a { people { id } } query b { people { id } }');
    expect([many.status, many.problems[0]]).toEqual([
      400,
      'The document needs exactly one operation, or "operationName" must select one.',
    ]);
  });

  it('for a missing operation beside a cached one', async () => {
    const kept = '# kept\nquery kept { people { id } }';
    for (let times = 0; times < 3; times += 1) expect((await ask(server(), kept)).codes).toEqual([]);
    const begun = await ask(server(), 'query kept { people { id } }', { operationName: '\n# kept' });
    const unnamed = await ask(server(), kept, { operationName: '' });
    for (const { codes } of [begun, unnamed]) expect(codes).toEqual(['GRAPHQL_VALIDATION']);
  });
});

describe('variables', () => {
  const document = 'query ($f: people_filter, $n: Int) { people(filter: $f, limit: $n) { id } }';

  it.each([
    [
      'deeper than filters go',
      { f: JSON.parse(`${'{"_and":['.repeat(100)}{}${']}'.repeat(100)}`) },
      200,
      'INVALID_QUERY',
    ],
    [
      'with more conditions than filters have',
      { f: { _or: Array.from({ length: 2_500 }, () => ({ id: { _eq: 1 } })) } },
      200,
      'INVALID_QUERY',
    ],
    ['with unknown names', { f: { colour: { _eq: 1 } } }, 400, 'GRAPHQL_VALIDATION'],
    ['of another type', { n: 'many' }, 400, 'GRAPHQL_VALIDATION'],
    ['beyond 32 bits', { n: 2 ** 40 }, 400, 'GRAPHQL_VALIDATION'],
  ])('%s', async (_, variables, status, code) => {
    const answer = await ask(server(), document, { variables });
    expect([answer.status, answer.codes]).toEqual([status, [code]]);
  });

  it('that are long are truncated in errors', async () => {
    const answer = await ask(server(), document, { variables: { n: 'x'.repeat(100_000) } });
    const shown = `"${'x'.repeat(80)}…"`;
    expect(answer.problems).toEqual([
      `Variable "$n" got invalid value ${shown}; Int cannot represent non-integer value: ${shown}`,
    ]);
    expect(answer.text.length).toBeLessThan(5_000);
  });

  it('that are very large are rejected with 413', async () => {
    const answer = await ask(server(), document, {
      variables: { f: { name: { _eq: 'x'.repeat(1_100_000) } } },
    });
    expect([answer.status, answer.codes]).toEqual([413, ['CONTENT_TOO_LARGE']]);
  });

  it('report a limited number of faults', async () => {
    const answer = await ask(server(), document, {
      variables: { f: { _and: Array.from({ length: 500 }, () => ({ colour: 1 })) } },
    });
    expect(answer.problems.length).toBeLessThan(25);
    expect(answer.text.length).toBeLessThan(20_000);
  });
});

describe('a body that is', () => {
  it.each([
    ['a batch', [{ query: '{ people { id } }' }]],
    ['an empty batch', []],
    ['a text', 'people'],
    ['without a document', {}],
    ['with a document that is no text', { query: 1 }],
    ['with variables that are a list', { query: '{ people { id } }', variables: [] }],
    ['with an operation name that is no text', { query: '{ people { id } }', operationName: 1 }],
    ['with extensions that are no object', { query: '{ people { id } }', extensions: 'x' }],
  ])('%s is rejected', async (_, body) => {
    const { status, codes } = await server().request('POST', '/graphql', { as: 'admin', body });
    expect([status, codes]).toEqual([400, ['INVALID_PAYLOAD']]);
  });

  it('a form is rejected', async () => {
    for (const type of [
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'text/plain',
    ]) {
      const answer = await server().request('POST', '/graphql', {
        as: 'admin',
        raw: 'query={people{id}}',
        headers: { 'content-type': type },
      });
      expect([answer.status, answer.codes]).toEqual([415, ['UNSUPPORTED_MEDIA_TYPE']]);
    }
  });
});

it('the server still responds afterwards', async () => {
  expect((await ask(server(), '{ people(sort: ["id"]) { id name } }')).data).toEqual({
    people: [
      { id: '1', name: 'Ada' },
      { id: '2', name: 'Bo' },
    ],
  });
});

describe('with a configured limit and without introspection', () => {
  const closed = useServer({
    dialect: 'sqlite',
    sql: 'create table people (id integer primary key, name text)',
    environment: { GRAPHQL_TOKEN_LIMIT: '20', GRAPHQL_INTROSPECTION: 'false' },
  });

  it('counts tokens', async () => {
    expect((await ask(closed(), `{ people { ${'id '.repeat(30)} } }`)).codes).toEqual(['GRAPHQL_VALIDATION']);
  });

  it('does not return the schema', async () => {
    for (const document of ['{ __schema { types { name } } }', '{ __type(name: "people") { name } }']) {
      expect((await ask(closed(), document)).codes).toEqual(['GRAPHQL_VALIDATION']);
    }
    const hinted = await ask(closed(), '{ peopl { id } }');
    expect(hinted.problems).toEqual(['Cannot query field "peopl" on type "Query".']);
    const typed = await ask(closed(), 'query ($f: people_filter) { people(filter: $f) { id } }', {
      variables: { f: { nam: {} } },
    });
    expect(typed.text).not.toContain('Did you mean');
    for (const scope of ['items', 'system']) {
      const answer = await closed().request('GET', `/server/specs/graphql/${scope}`, { as: 'admin' });
      expect([answer.status, answer.codes]).toEqual([403, ['FORBIDDEN']]);
    }
  });

  it('still returns the type name', async () => {
    expect((await ask(closed(), '{ __typename }')).data).toEqual({ __typename: 'Query' });
  });
});

/** Aggregations and functions in GraphQL: the same as REST, for every caller, compared on random queries. */
import * as fc from 'fast-check';
import { buildSchema, getNamedType, isObjectType, type GraphQLObjectType } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sampleDialects } from '../../databases.js';
import { startMuseum } from '../recorded/museum.js';
import type { TestServer } from '../server-harness.js';
import { ask } from './library.js';

const numRuns = process.env.LONG === undefined ? 40 : 1_000;

type Row = Readonly<Record<string, unknown>>;

const groupNames = ['status', 'year(acquired)', 'on_display', 'artist', 'artist.name', 'hour(checked)'];
const filters = [
  {},
  { year: { _gt: 1930 } },
  { themes: { _some: { theme_id: { id: { _gt: 2 } } } } },
  { artist: { name: { _icontains: 'a' } } },
];
const havings = [undefined, { count: { _gt: 1 } }, { max: { year: { _gte: 1950 } } }];

/** The operand of an operation: a field, or a function of one. */
interface Measured {
  readonly operation: string;
  readonly rest: string;
  readonly graphql: string;
  /** Path of the value below the operation. */
  readonly restKey: string;
  readonly graphqlPath: readonly string[];
}

const measuredBy = (operation: string, type: GraphQLObjectType): Measured[] =>
  Object.values(type.getFields()).flatMap((field): Measured[] => {
    const inner = getNamedType(field.type);
    if (!isObjectType(inner)) {
      const { name } = field;
      return [{ operation, rest: name, graphql: name, restKey: name, graphqlPath: [name] }];
    }
    const argument = field.name.replace(/_func$/, '');
    return Object.keys(inner.getFields()).map((name) => ({
      operation,
      rest: `${name}(${argument})`,
      graphql: `${field.name} { ${name} }`,
      restKey: `${argument}_${name}`,
      graphqlPath: [field.name, name],
    }));
  });

const follow = (value: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>((inner, key) => (inner as Row | undefined)?.[key], value);

describe.each(sampleDialects(import.meta.url))('on %s', (dialect) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startMuseum(dialect);
  });
  afterAll(() => server.close());

  const schemaOf = async (as: string) => {
    const { text } = await server.request('GET', '/server/specs/graphql/items', { as });
    return buildSchema(text);
  };

  it.each(['admin', 'reader', 'editor'])('%s aggregates the same', async (as) => {
    const schema = await schemaOf(as);
    const type = schema.getType('works_aggregated') as GraphQLObjectType;
    const measures = Object.values(type.getFields()).flatMap((field) => {
      const inner = getNamedType(field.type);
      return isObjectType(inner) ? measuredBy(field.name, inner) : [];
    });
    const query = fc.record({
      chosen: fc.uniqueArray(fc.constantFrom(...measures), { minLength: 1, maxLength: 4 }),
      groupBy: fc.uniqueArray(fc.constantFrom(...groupNames), { maxLength: 2 }),
      filter: fc.constantFrom(...filters),
      having: fc.constantFrom(...havings),
      timezone: fc.constantFrom(undefined, 'Asia/Kolkata'),
      limit: fc.constantFrom(undefined, 3),
    });
    let compared = 0;
    await fc.assert(
      fc.asyncProperty(query, async ({ chosen, groupBy, ...rest }) => {
        const aggregate: Record<string, string[]> = {};
        for (const each of chosen) (aggregate[each.operation] ??= []).push(each.rest);
        const parameters = { ...rest, groupBy, aggregate };
        const expected = await server.request('SEARCH', '/items/works', { as, body: { query: parameters } });
        const selection = chosen.map(({ operation, graphql }) => `${operation} { ${graphql} }`).join(' ');
        const found = await ask(
          server,
          `query ($filter: works_filter, $having: JSON, $groupBy: [String], $timezone: String, $limit: Int) {
            works_aggregated(filter: $filter, having: $having, groupBy: $groupBy, timezone: $timezone, limit: $limit) { group ${selection} } }`,
          { as, variables: { ...rest, groupBy } },
        );
        // the schema of the caller lacks what REST refuses
        const codes = found.codes.map((code) => (code === 'GRAPHQL_VALIDATION' ? 'FORBIDDEN' : code));
        expect([codes, JSON.stringify(parameters)]).toEqual([expected.codes, JSON.stringify(parameters)]);
        if (expected.status !== 200) return;
        compared += 1;
        const names = Object.keys((expected.data as Row[])[0] ?? {}).filter((name) => !(name in aggregate));
        const valuesOf = (row: Row, paths: readonly (readonly string[])[]) =>
          paths.map((path) => follow(row, path));
        const rows = (expected.data as Row[]).map((row) => ({
          group: groupBy.length === 0 ? null : Object.fromEntries(names.map((name) => [name, row[name]])),
          values: valuesOf(
            row,
            chosen.map(({ operation, restKey }) => [operation, restKey]),
          ),
        }));
        const graphql = (found.data as { works_aggregated: Row[] }).works_aggregated.map((row) => ({
          group: row.group,
          values: valuesOf(
            row,
            chosen.map(({ operation, graphqlPath }) => [operation, ...graphqlPath]),
          ),
        }));
        expect(graphql).toEqual(rows);
      }),
      { numRuns, seed: 20 },
    );
    expect(compared).toBeGreaterThan(as === 'admin' ? numRuns * 0.8 : numRuns / 10);
  });

  it.each(['admin', 'reader', 'editor'])('%s reads the same values of functions', async (as) => {
    const schema = await schemaOf(as);
    const type = schema.getType('works') as GraphQLObjectType;
    const calls = Object.values(type.getFields()).flatMap((field) => {
      const inner = getNamedType(field.type);
      if (!field.name.endsWith('_func') || !isObjectType(inner)) return [];
      // the path of `json` is an argument, which "values in JSON" tests
      return Object.keys(inner.getFields()).flatMap((name) =>
        name === 'json' ? [] : [{ field: field.name, name }],
      );
    });
    expect(calls.length).toBeGreaterThan(as === 'admin' ? 10 : 1);
    for (const { field, name } of calls) {
      const call = `${name}(${field.replace(/_func$/, '')})`;
      const sort = [`-${call}`, 'id'];
      const query = {
        fields: [call],
        sort,
        filter: { [call]: { _gte: 1 } },
        timezone: 'Asia/Kolkata',
        limit: 9,
      };
      const expected = await server.request('SEARCH', '/items/works', { as, body: { query } });
      const found = await ask(
        server,
        `{ works(sort: ${JSON.stringify(sort)}, filter: { ${field}: { ${name}: { _gte: 1 } } }, timezone: "Asia/Kolkata", limit: 9) { ${field} { value: ${name} } } }`,
        { as },
      );
      expect([call, found.codes]).toEqual([call, expected.codes]);
      if (expected.status !== 200) continue;
      const values = (expected.data as Row[]).map((row) => Object.values(row)[0]);
      const graphql = (found.data as { works: Row[] }).works.map((row) => follow(row, [field, 'value']));
      expect([call, graphql]).toEqual([call, values]);
    }
  });

  it('lists in a filter of functions, and selects type names', async () => {
    const { data } = await ask(
      server,
      `{ works_aggregated(filter: { id: { _lte: 4 } }) { __typename total: countAll latest: max { __typename when: acquired_func { __typename y: year } } }
         works_by_id(id: 1) { acquired_func { __typename year } } }`,
    );
    expect(data).toEqual({
      works_aggregated: [
        {
          __typename: 'works_aggregated',
          total: 4,
          latest: { __typename: 'works_aggregated_range', when: { __typename: 'date_functions', y: 2013 } },
        },
      ],
      works_by_id: { acquired_func: { __typename: 'date_functions', year: 2011 } },
    });
  });

  it('refuses a function without a condition, and a group alone gives one row', async () => {
    expect((await ask(server, '{ works(filter: { acquired_func: null }) { id } }')).codes).toEqual([
      'INVALID_QUERY',
    ]);
    expect((await ask(server, '{ works_aggregated { group } }')).data).toEqual({
      works_aggregated: [{ group: null }],
    });
  });

  it('hides operations and functions of what the caller may not read', async () => {
    const schema = await schemaOf('reader');
    const fieldsOf = (name: string) => Object.keys((schema.getType(name) as GraphQLObjectType).getFields());
    const readable = new Set(fieldsOf('works'));
    expect(readable.has('price')).toBe(false);
    for (const type of ['works_aggregated_count', 'works_aggregated_sum', 'works_aggregated_range'])
      expect(fieldsOf(type).filter((name) => !readable.has(name))).toEqual([]);
  });
});

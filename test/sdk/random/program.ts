/** A program that does with every table what a client can, in types: it compiles only where these are right. */
import { collectionNames } from '../../../generator/model/naming.js';
import type { TestDialect } from '../../databases.js';
import type { Schema, Table } from './tables.js';

/** As a literal `__proto__` would be no property. */
const say = (value: unknown): string => JSON.stringify(value).replaceAll('"__proto__":', '["__proto__"]:');

export type Row = Readonly<Record<string, unknown>>;

/** The first or second row of a table. */
export const rowOf = ({ key, columns, reference }: Table, which: 0 | 1): Row =>
  Object.fromEntries([
    ...[...key, ...columns].map(({ name, values }) => [name, values[which]] as const),
    ...(reference === null ? [] : [[reference.name, reference.target.key[0]?.values[0]] as const]),
  ]);

const keyOf = ({ key }: Table, which: 0 | 1): unknown => {
  const values = key.map((column) => column.values[which]);
  return values.length === 1 ? values[0] : values;
};

/** In a filter they join filters. */
const joiners: ReadonlySet<string> = new Set(['_and', '_or', '_eq', '_some']);

/** A row of which every column is compared with the value it has. */
const filterOf = ({ key, columns }: Table): Row =>
  Object.fromEntries(
    [...key, ...columns]
      .filter(({ name, isCompared }) => isCompared && !joiners.has(name))
      .map(({ name, values }) => [name, { _eq: values[0] }] as const),
  );

const stepOf = (table: Table): string => {
  const first = rowOf(table, 0);
  const names = Object.keys(first);
  const { reference } = table;
  const [target] = reference?.target.key ?? [];
  const nested = reference === null ? '' : `, { [${say(reference.name)}]: [${say(target?.name)}] }`;
  const changes = Object.fromEntries(table.columns.map(({ name, values }) => [name, values[1]]));
  return `  async (api: Client) => {
    const items = api.items(${say(table.name)});
    const made = await items.create(${say(first)});
    const fields = ${say(names)} as const;
    const named = await items.get(${say(keyOf(table, 0))}, { fields });
    const starred = await items.list({ fields: ['*'${nested}] });
    const found = await items.list({ filter: ${say(filterOf(table))}, fields });
    await items.create(${say(rowOf(table, 1))});
    const sorted = await items.list({ sort: ${say(table.key.map(({ name }) => `-${name}`))}, fields: [${say(table.key.at(-1)?.name)}] });
    await items.delete(${say(keyOf(table, 1))});
    const changed = await items.update(${say(keyOf(table, 0))}, ${say(changes)});
    await items.update(${say(keyOf(table, 0))}, ${say(Object.fromEntries(table.columns.map(({ name, values }) => [name, values[0]])))});
    return { made, named, starred, found, sorted, changed };
  },
`;
};

/** Results of the steps. */
export const expectedOf = (table: Table): Row => {
  const [first, second] = [rowOf(table, 0), rowOf(table, 1)];
  const { reference } = table;
  const target = reference?.target.key[0];
  const starred =
    reference === null ? first : { ...first, [reference.name]: { [target?.name ?? '']: target?.values[0] } };
  const last = table.key.at(-1)?.name ?? '';
  const isDescending = String(first[last]) < String(second[last]);
  const keys = [{ [last]: first[last] }, { [last]: second[last] }];
  return {
    made: first,
    named: first,
    starred: [starred],
    found: [first],
    sorted: isDescending ? keys.toReversed() : keys,
    changed: { ...first, ...Object.fromEntries(table.columns.map(({ name, values }) => [name, values[1]])) },
  };
};

/** Created rows as a view returns them: columns of views lose leading spaces on MySQL and MariaDB. */
export const shownOf = (table: Table, dialect: TestDialect): Row => {
  const { made } = expectedOf(table);
  if (dialect === 'sqlite' || dialect === 'postgres') return made as Row;
  return Object.fromEntries(
    Object.entries(made as Row).map(([name, value]) => [name.replace(/^ +/, ''), value]),
  );
};

/** @param spelled how a collection is spelled in GraphQL */
export const printProgram = ({
  tables,
  view,
}: Schema): string => `import type { Client } from './client/src/index.js';
import * as documents from './client/src/graphql/items.js';

export { createClient } from './client/src/index.js';

export const steps = [
${tables.map(stepOf).join('')}];

export const readView = (api: Client) => api.items(${say(view)}).list();

export const readGraphql = (api: Client) =>
  Promise.all([
${tables.map(({ name }) => `    api.graphql(documents.${collectionNames(name, {}).graphql}Document),\n`).join('')}  ]);
`;

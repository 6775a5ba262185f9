/** Changes the enum types of PostgreSQL, which columns share by name. */
import type { TableShape } from '../../schema/shapes.js';
import { quoteText } from './quoting.js';
import { elementOf } from './schema-types.js';

type Enums = ReadonlyMap<string, readonly string[]>;

const enumsOf = (tables: readonly TableShape[]): Enums =>
  new Map(
    tables.flatMap(({ columns }) =>
      columns.flatMap(({ dataType, values }) =>
        values === null ? [] : [[elementOf(dataType), values] as const],
      ),
    ),
  );

const isPrefix = (prefix: readonly string[], values: readonly string[]): boolean =>
  prefix.every((value, at) => values[at] === value);

const list = (values: readonly string[]): string => values.map(quoteText).join(', ');

/** The type with the old values, until every column has the new one. */
const formerName = (name: string): string =>
  name.startsWith('"') ? `${name.slice(0, -1)}_former"` : `${name}_former`;

/**
 * Values can only be added at the end; for every other change the type is made anew. A new value can be used only after the
 * commit of the statement that adds it.
 * @param existing types of the database, whether or not columns have them
 */
export const changeTypes = (
  before: readonly TableShape[],
  after: readonly TableShape[],
  existing: ReadonlyMap<string, readonly string[] | null> = new Map(),
) => {
  const [old, wanted] = [enumsOf(before), enumsOf(after)];
  const labels: string[] = [];
  const first: string[] = [];
  const last: string[] = [];
  for (const [name, values] of wanted) {
    const present = old.get(name) ?? existing.get(name) ?? undefined;
    if (present === undefined) {
      first.push(`create type ${name} as enum (${list(values)})`);
    } else if (!isPrefix(present, values)) {
      first.push(
        `alter type ${name} rename to ${formerName(name)}`,
        `create type ${name} as enum (${list(values)})`,
      );
      last.push(`drop type ${formerName(name)}`);
    } else {
      const added = values.slice(present.length).map(quoteText);
      labels.push(...added.map((value) => `alter type ${name} add value if not exists ${value}`));
    }
  }
  for (const name of old.keys()) if (!wanted.has(name)) last.push(`drop type ${name}`);
  return { labels, first, last };
};

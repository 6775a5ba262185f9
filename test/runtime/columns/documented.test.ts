/** The table of `docs/column-types.md` is what columns of each type are read as; `UPDATE=docs` writes it. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { takesPaths } from '../../../contract/field-operators.js';
import { fieldTypes, type FieldType } from '../../../contract/field-types.js';
import { introspect } from '../../../generator/introspection/index.js';
import { columnToFacts } from '../../../generator/model/field-types.js';
import { packageRoot } from '../../../runtime/config/package.js';
import { catalogReader, createTestDatabase, dialects, type TestDatabase } from '../../databases.js';
import { columnKinds, setups } from './types.js';

const page = join(packageRoot, 'docs/column-types.md');

/** The operator that stands for its group. */
const firstOfGroup = {
  equality: '`_eq`',
  membership: '`_in`',
  nullness: '`_null`',
  order: '`_lt`',
  matching: '`_contains`',
  emptiness: '`_empty`',
} as const;

/** Types that the tests create. */
const madeTypes: Readonly<Record<string, string>> = {
  mood: 'enums',
  moody: 'domains: as their base type',
  smallposint: '',
  floats: 'created ranges',
  pair: 'composites',
  pairs: '',
  oddity: 'any other',
};

/** A type without its sizes, values and character sets: `decimal(10,2)` is `decimal`, but `bit(1)` stays. */
const labelOf = (type: string): string => {
  if (/^(?:mood|hash|smallposint|bigposint|pairs)\[\]$/.test(type)) return '';
  const made = madeTypes[type];
  if (made !== undefined) return made;
  const plain = type === 'bit(1)' ? type : type.replace(/\(.*?\)(?!\w)/, '');
  return `\`${plain.replace(/ (?:character set|collate|srid|zerofill|null).*$/, '')}\``;
};

interface Form {
  readonly json: string;
  readonly operators: string;
}

const formOf = (type: FieldType, isArray: boolean): Form => {
  const { wireForm, note, operators } = fieldTypes[type];
  const names = operators.map((group) => firstOfGroup[group as keyof typeof firstOfGroup]);
  return {
    json: isArray ? 'array; each element in its form' : (wireForm ?? `string \`${note}\``),
    operators: [...names, ...(takesPaths({ type }) ? ['`_json`'] : [])].join(' '),
  };
};

/** Rows by form, in the order of the field types. */
const rows = new Map<string, Form>();
for (const [type, isArray] of [
  ...Object.keys(fieldTypes).map((each) => [each as FieldType, false] as const),
  ['json', true] as const,
]) {
  const form = formOf(type, isArray);
  rows.set(`${form.json} ${form.operators}`, form);
}

const tablePattern = /(?<=^\| in JSON .*\n\| -+ .*\n)(?:\|.*\n)+/m;

const tableOf = (): readonly (readonly string[])[] =>
  (tablePattern.exec(readFileSync(page, 'utf8'))?.[0] ?? '')
    .trimEnd()
    .split('\n')
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );

const documented = new Map<string, readonly string[]>();

describe.each(dialects)('columns of %s', (dialect) => {
  const types = Object.keys(columnKinds[dialect]);
  let place: TestDatabase;
  beforeAll(async () => {
    const columns = types.map((type, index) => `create table t${index} (id integer primary key, v ${type});`);
    place = await createTestDatabase(dialect, { sql: [setups[dialect], ...columns].join('\n') });
  });
  afterAll(() => place.drop());

  it('are documented with their form and their operators', async () => {
    const { tables } = await introspect(catalogReader(place.database), {});
    const labels = new Map([...rows.keys()].map((key) => [key, new Set<string>()]));
    for (const [index, type] of types.entries()) {
      const column = tables
        .find(({ name }) => name === `t${index}`)
        ?.columns.find(({ name }) => name === 'v');
      if (column === undefined) throw new Error(`no column of ${type}`);
      const facts = columnToFacts(column.type);
      const form = formOf(facts.type, facts.element !== null);
      const label = labelOf(type);
      if (label !== '') labels.get(`${form.json} ${form.operators}`)?.add(label);
    }
    const expected = [...labels.values()].map((each) => [...each].join(', ') || '—');
    documented.set(dialect, expected);
    const position = 2 + dialects.indexOf(dialect);
    expect(tableOf().map((cells) => cells[position])).toEqual(expected);
  });
});

it('each form is documented with its operators', () => {
  expect(tableOf().map((cells) => cells.slice(0, 2))).toEqual([...rows.values()].map(Object.values));
});

afterAll(() => {
  if (process.env.UPDATE !== 'docs') return;
  const lines = [...rows.values()].map(({ json, operators }, index) => {
    const columns = dialects.map((dialect) => documented.get(dialect)?.[index] ?? '—');
    return `| ${[json, operators, ...columns].join(' | ')} |`;
  });
  const text = readFileSync(page, 'utf8');
  writeFileSync(
    page,
    text.replace(tablePattern, () => `${lines.join('\n')}\n`),
  );
});

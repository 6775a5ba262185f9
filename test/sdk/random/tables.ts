/** Tables of random names that have every type of column between them. */
import { columnKinds, setups } from '../../runtime/columns/types.js';
import type { TestDialect } from '../../databases.js';
import { randomNames } from './names.js';

interface Column {
  readonly name: string;
  readonly type: string;
  /** Two that it may hold, in wire form; one, and it is the same twice. */
  readonly values: readonly [unknown, unknown];
  readonly isCompared: boolean;
}

export interface Table {
  readonly name: string;
  readonly key: readonly Column[];
  readonly columns: readonly Column[];
  /** A column that holds the key of a row of the table before. */
  readonly reference: { readonly name: string; readonly target: Table } | null;
}

export interface Schema {
  readonly sql: string;
  readonly tables: readonly Table[];
  /** Shows the first table as it is. */
  readonly view: string;
}

const quote = (dialect: TestDialect, name: string): string => {
  const mark = dialect === 'mysql' || dialect === 'mariadb' ? '`' : '"';
  return `${mark}${name.replaceAll(mark, mark + mark)}${mark}`;
};

const longestValue = 200;

/** Gives an array of the database one dimension, and no null, as its type has. */
const toTyped = (type: string, value: unknown): unknown =>
  type.endsWith('[]') && Array.isArray(value)
    ? value.flat(Number.POSITIVE_INFINITY).filter((element) => element !== null)
    : value;

const columnsOf = (dialect: TestDialect): readonly Omit<Column, 'name'>[] =>
  Object.entries(columnKinds[dialect]).flatMap(([type, { values, compares }]) => {
    const [first, second = first] = values
      .filter((value) => value !== '' && JSON.stringify(value).length < longestValue)
      .map((value) => toTyped(type, value));
    // a type that has long values alone, such as a vector of 2048 numbers
    return first === undefined ? [] : [{ type, values: [first, second], isCompared: compares !== 'nothing' }];
  });

const keys: readonly (readonly Omit<Column, 'name'>[])[] = [
  [{ type: 'integer', values: [1, 2], isCompared: true }],
  [{ type: 'varchar(40)', values: ['a/b', 'c,d ☕'], isCompared: true }],
  [
    { type: 'integer', values: [1, 1], isCompared: true },
    { type: 'varchar(40)', values: ['x,y', "it's"], isCompared: true },
  ],
];

/** Each seed gives the same schema every time. */
export const randomSchema = (dialect: TestDialect, seed: number, perTable: number): Schema => {
  const columns = columnsOf(dialect);
  const count = Math.ceil(columns.length / perTable);
  const names = [...randomNames(dialect, seed, columns.length + count * 4 + 1)];
  const take = (): string => {
    const name = names.shift();
    if (name === undefined) throw new Error('too few names; sample more of them');
    return name;
  };
  const view = take();
  const tables: Table[] = [];
  for (let index = 0; index < count; index += 1) {
    const before = tables.at(-1);
    tables.push({
      name: take(),
      key: (keys[index % keys.length] ?? []).map((column) => Object.assign({ name: take() }, column)),
      columns: columns
        .slice(index * perTable, (index + 1) * perTable)
        .map((column) => Object.assign({ name: take() }, column)),
      reference: before?.key.length === 1 ? { name: take(), target: before } : null,
    });
  }
  const first = tables[0]?.name ?? '';
  const shown = `create view ${quote(dialect, view)} as select * from ${quote(dialect, first)};`;
  return {
    tables,
    view,
    sql: [
      setups[dialect] ?? '',
      ...tables.map((table, index) => tableSql(dialect, table, index)),
      shown,
    ].join('\n'),
  };
};

const tableSql = (dialect: TestDialect, { name, key, columns, reference }: Table, index: number): string => {
  const q = (each: string): string => quote(dialect, each);
  const [target] = reference?.target.key ?? [];
  const parts = [
    ...key.map((column) => `${q(column.name)} ${column.type} not null`),
    ...columns.map((column) => `${q(column.name)} ${column.type}`),
    ...(reference === null ? [] : [`${q(reference.name)} ${target?.type}`]),
    `primary key (${key.map((column) => q(column.name)).join(', ')})`,
    ...(reference === null || target === undefined
      ? []
      : [
          `constraint c${index} foreign key (${q(reference.name)}) references ${q(reference.target.name)} (${q(target.name)})`,
        ]),
  ];
  return `create table ${q(name)} (${parts.join(', ')});`;
};

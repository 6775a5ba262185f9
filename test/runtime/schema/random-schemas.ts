/** Random snapshots: tables with keys, indexes, checks, generated fields and relations, from a small pool of names. */
import * as fc from 'fast-check';
import type {
  CollectionEntry,
  FieldEntry,
  FieldSchema,
  IndexEntry,
  RelationEntry,
  Snapshot,
} from '../../../runtime/schema/snapshot/types.js';
import { plainColumn } from '../../../runtime/schema/snapshot/write-fields.js';
import type { TestDialect } from '../../databases.js';
import { keyOf, kindsOf, type ColumnKind } from './random-kinds.js';

const tableNames = ['t', 'order', 'Grün', 'a b'];
const columnNames = ['x', 'y', 'select', 'Ünï', 'b"c', 'd e'];

interface RandomColumn {
  readonly name: string;
  readonly kind: ColumnKind;
  readonly nullable: boolean;
  readonly fallback: number;
  readonly comment: string | null;
}

interface RandomTable {
  readonly name: string;
  readonly columns: readonly RandomColumn[];
  /** Numbers that choose what the table has; each is used in one place. */
  readonly choices: readonly number[];
  /** Names of tables that fields of it refer to. */
  readonly targets: readonly string[];
}

const columnArbitrary = (dialect: TestDialect): fc.Arbitrary<RandomColumn> =>
  fc.record({
    name: fc.constantFrom(...columnNames),
    kind: fc.constantFrom(...kindsOf(dialect)),
    nullable: fc.boolean(),
    fallback: fc.nat(6),
    comment: dialect === 'sqlite' ? fc.constant(null) : fc.constantFrom(null, null, "it's \\ a comment"),
  });

const tableArbitrary = (dialect: TestDialect): fc.Arbitrary<RandomTable> =>
  fc.record({
    name: fc.constantFrom(...tableNames),
    columns: fc.uniqueArray(columnArbitrary(dialect), {
      minLength: 1,
      maxLength: 5,
      selector: ({ name }) => name,
    }),
    choices: fc.array(fc.nat(11), { minLength: 8, maxLength: 8 }),
    targets: fc.uniqueArray(fc.constantFrom(...tableNames), { maxLength: 2 }),
  });

/** Returns random snapshots that a database of the dialect can have. */
export const snapshotArbitrary = (dialect: TestDialect, empty: Snapshot): fc.Arbitrary<Snapshot> =>
  fc
    .uniqueArray(tableArbitrary(dialect), { minLength: 1, maxLength: 4, selector: ({ name }) => name })
    .map((tables) => toSnapshot(tables, dialect, empty));

const toSnapshot = (tables: readonly RandomTable[], dialect: TestDialect, empty: Snapshot): Snapshot => {
  const names = new Set(tables.map(({ name }) => name));
  const made = tables.map((table) => toTable(table, { dialect, names }));
  return {
    ...empty,
    collections: made.map(({ collection }) => collection),
    fields: made.flatMap(({ fields }) => fields),
    relations: made.flatMap(({ relations }) => relations),
  };
};

interface Surroundings {
  readonly dialect: TestDialect;
  readonly names: ReadonlySet<string>;
}

interface Made {
  readonly collection: CollectionEntry;
  readonly fields: readonly FieldEntry[];
  readonly relations: readonly RelationEntry[];
}

const toTable = (table: RandomTable, { dialect, names }: Surroundings): Made => {
  const { name, columns, choices } = table;
  const [uniqueAt = 0, indexAt = 0, checkAt = 0, generatedAt = 0, action = 0, , , metaAt = 0] = choices;
  const numbers = columns.filter(({ kind }) => kind.family === 'number').map((column) => column.name);
  const indexable = columns.filter(({ kind }) => isIndexable(kind)).map((column) => column.name);
  const targets = table.targets.filter((target) => names.has(target));
  const generated = generatedField(name, { numbers, at: generatedAt });
  const uniques =
    uniqueAt < 4 && indexable.length > 0 ? [{ name: `${name}_u`, columns: indexable.slice(0, 2) }] : [];
  const indexes = indexesOf(table, { indexable, at: indexAt });
  const flags = (column: string) => ({
    is_unique: [...uniques, ...indexes.filter(({ unique }) => unique)].some(({ columns: list }) =>
      isOnly(list, column),
    ),
    is_indexed: indexes.some(({ unique, columns: list }) => !unique && isOnly(list, column)),
  });
  return {
    collection: {
      collection: name,
      meta: metaAt > 8 ? { note: 'a note', hidden: true } : null,
      schema: {
        name,
        comment: dialect !== 'sqlite' && metaAt % 3 === 0 ? 'of the table' : null,
        primary_key: ['id'],
        uniques,
        indexes,
        checks: checksOf(name, { numbers, columns, at: checkAt }),
      },
    },
    fields: [
      keyField(name, dialect),
      ...columns.map((column) => toField(name, column, flags(column.name))),
      ...generated,
      ...targets.map((_target, at) => referenceField(name, `ref${at}`, dialect)),
    ],
    relations: targets.map((target, at) => toRelation({ table: name, field: `ref${at}`, target, action })),
  };
};

const isOnly = ([first, ...rest]: IndexEntry['columns'], column: string): boolean =>
  rest.length === 0 && first === column;

/** Returns whether every database makes an index of it without further words. */
const isIndexable = ({ dataType, family, sizes }: ColumnKind): boolean =>
  family === 'number' || (family === 'text' && sizes.max_length !== undefined) || /^date/i.test(dataType);

const indexesOf = (
  { name }: RandomTable,
  { indexable, at }: { readonly indexable: readonly string[]; readonly at: number },
): readonly IndexEntry[] => {
  const [first, second] = indexable;
  if (first === undefined || at > 7) return [];
  const columns = second === undefined || at < 3 ? [first] : [{ column: second, descending: true }, first];
  return [{ name: `${name}_i${at % 2}`, unique: at === 5, columns }];
};

const quote = (name: string): string => `"${name.replaceAll('"', '""')}"`;

const checksOf = (
  table: string,
  {
    numbers,
    columns,
    at,
  }: { readonly numbers: readonly string[]; readonly columns: readonly RandomColumn[]; readonly at: number },
) => {
  const [number] = numbers;
  const text = columns.find(({ kind }) => kind.family === 'text')?.name;
  const expressions = [
    ...(number === undefined
      ? []
      : [
          `${quote(number)} > -1000 and ${quote(number)} <> 55`,
          `${quote(number)} between -1000 and 1000 or ${quote(number)} is null`,
          `${quote(number)} in (1, -7, 100, 0, 9, -5, 7, 1.5) or ${quote(number)} > 1000`,
        ]),
    ...(text === undefined
      ? []
      : [
          `char_length(${quote(text)}) < 500`,
          `${quote(text)} <> 'no''one' and lower(${quote(text)}) <> 'x😀????'`,
          `${quote(text)} not like 'q%' or ${quote(text)} in ('a', 'b')`,
        ]),
  ];
  const expression = at < 8 ? expressions[at % Math.max(expressions.length, 1)] : undefined;
  return expression === undefined ? [] : [{ name: `${table}_check`, expression }];
};

const emptySchema = (table: string, name: string): Omit<FieldSchema, 'data_type'> => ({
  name,
  table,
  ...plainColumn(true),
});

const keyField = (collection: string, dialect: TestDialect): FieldEntry => {
  const { type, dataType, auto } = keyOf[dialect];
  const schema = {
    ...emptySchema(collection, 'id'),
    data_type: dataType,
    is_nullable: false,
    is_primary_key: true,
    has_auto_increment: true,
    auto_increment_kind: auto,
  };
  return { collection, field: 'id', type, meta: null, schema };
};

const toField = (
  collection: string,
  { name, kind, nullable, fallback, comment }: RandomColumn,
  flags: Pick<FieldSchema, 'is_unique' | 'is_indexed'>,
): FieldEntry => {
  const { type, dataType, sizes, defaults, expressions } = kind;
  const choices = [
    ...defaults.map((value) => ({ default_value: value, default_kind: 'literal' as const })),
    ...expressions.map((value) => ({ default_value: value, default_kind: 'expression' as const })),
  ];
  const schema = {
    ...emptySchema(collection, name),
    data_type: dataType,
    ...sizes,
    ...choices[fallback],
    ...flags,
    is_nullable: nullable,
    comment,
  };
  return { collection, field: name, type, meta: fallback === 6 ? { note: `about ${name}` } : null, schema };
};

const generatedField = (
  collection: string,
  { numbers, at }: { readonly numbers: readonly string[]; readonly at: number },
): readonly FieldEntry[] => {
  const [number] = numbers;
  if (number === undefined || at > 5) return [];
  const expression =
    at % 2 === 0
      ? `case when ${quote(number)} > 3 then 1 else 0 end`
      : `coalesce(${quote(number)}, 0) + ${at}`;
  const schema = {
    ...emptySchema(collection, 'made'),
    data_type: 'bigint',
    is_generated: true,
    generation_expression: expression,
    generation_kind: 'stored' as const,
  };
  return [{ collection, field: 'made', type: 'bigInteger', meta: null, schema }];
};

const referenceField = (collection: string, name: string, dialect: TestDialect): FieldEntry => {
  const { type, dataType } = keyOf[dialect];
  return {
    collection,
    field: name,
    type,
    meta: null,
    schema: { ...emptySchema(collection, name), data_type: dataType },
  };
};

const actions = ['CASCADE', 'SET NULL', 'RESTRICT'];

const toRelation = ({
  table,
  field,
  target,
  action,
}: {
  readonly table: string;
  readonly field: string;
  readonly target: string;
  readonly action: number;
}): RelationEntry => ({
  collection: table,
  field,
  related_collection: target,
  meta: null,
  schema: {
    table,
    column: field,
    foreign_key_table: target,
    foreign_key_column: 'id',
    constraint_name: `${table}_${field}_key`,
    on_update: 'RESTRICT',
    on_delete: actions[action % actions.length] ?? 'RESTRICT',
  },
});

/** Kinds of columns, of each database, from which random schemas are made. */
import type { FieldSchema } from '../../../runtime/schema/snapshot/types.js';
import type { TestDialect } from '../../databases.js';

type Sizes = Partial<
  Pick<
    FieldSchema,
    'max_length' | 'numeric_precision' | 'numeric_scale' | 'datetime_precision' | 'enum_values'
  >
>;

export interface ColumnKind {
  /** Type of the field. */
  readonly type: string;
  readonly dataType: string;
  readonly sizes: Sizes;
  /** Which expressions may name it. */
  readonly family: 'number' | 'text' | 'other';
  /** Literals that may be its default. */
  readonly defaults: readonly (string | number | boolean)[];
  /** Expressions that may be its default. */
  readonly expressions: readonly string[];
  /** SQL of values for rows. */
  readonly values: readonly string[];
}

const kind = (
  type: string,
  dataType: string,
  {
    sizes = {},
    family = 'other',
    defaults = [],
    expressions = [],
    values,
  }: Partial<Omit<ColumnKind, 'type' | 'dataType'>> & Pick<ColumnKind, 'values'>,
): ColumnKind => ({ type, dataType, sizes, family, defaults, expressions, values });

const numbers = { family: 'number', defaults: [0, 1, -5], values: ['1', '-7', '100'] } as const;
const texts = {
  family: 'text',
  defaults: ['', "it's", 'a\\b', '1', 'größe 😀?'],
  values: ["'1'", "'é'", "''"],
} as const;
const dates = { defaults: ['2020-02-03'], values: ["'2021-03-04'"] } as const;
const blobs = { values: ["x'0011'"] } as const;

const mysqlKinds: readonly ColumnKind[] = [
  kind('integer', 'int', numbers),
  kind('integer', 'smallint', numbers),
  kind('integer', 'int unsigned', { ...numbers, defaults: [0, 7], values: ['1', '9'] }),
  kind('bigInteger', 'bigint', { ...numbers, defaults: [0, '9007199254740993'] }),
  kind('decimal', 'decimal', {
    ...numbers,
    defaults: ['1.5', '0'],
    sizes: { numeric_precision: 10, numeric_scale: 2 },
  }),
  kind('float', 'double', numbers),
  kind('string', 'varchar', { ...texts, sizes: { max_length: 40 } }),
  kind('string', 'varchar', { ...texts, sizes: { max_length: 90 } }),
  kind('string', 'char', { ...texts, defaults: ['ab'], values: ["'1'", "'xy'"], sizes: { max_length: 5 } }),
  kind('text', 'text', texts),
  kind('text', 'longtext', texts),
  kind('string', 'enum', {
    sizes: { enum_values: ['a', "b'c", 'd,e😀?'] },
    defaults: ['a', "b'c"],
    values: ["'a'", "'d,e😀?'"],
  }),
  kind('date', 'date', dates),
  kind('dateTime', 'datetime', {
    ...dates,
    defaults: ['2020-02-03 04:05:06'],
    sizes: { datetime_precision: 0 },
    expressions: ['now()'],
  }),
  kind('timestamp', 'timestamp', {
    ...dates,
    defaults: ['2020-02-03 04:05:06.000'],
    sizes: { datetime_precision: 3 },
    expressions: ['now()'],
  }),
  kind('time', 'time', { sizes: { datetime_precision: 0 }, defaults: ['04:05:06'], values: ["'05:06:07'"] }),
  kind('json', 'json', { values: ['\'{"a": 1}\''] }),
  kind('binary', 'blob', blobs),
];

const postgresKinds: readonly ColumnKind[] = [
  kind('integer', 'integer', numbers),
  kind('integer', 'smallint', numbers),
  kind('bigInteger', 'bigint', { ...numbers, defaults: [0, '9007199254740993'] }),
  kind('decimal', 'numeric', {
    ...numbers,
    defaults: ['1.5', '0'],
    sizes: { numeric_precision: 10, numeric_scale: 2 },
  }),
  kind('float', 'double precision', numbers),
  kind('float', 'real', numbers),
  kind('boolean', 'boolean', { defaults: [true, false], values: ['true', 'false'] }),
  kind('string', 'character varying', { ...texts, sizes: { max_length: 40 } }),
  kind('string', 'character varying', { ...texts, sizes: { max_length: 90 } }),
  kind('text', 'text', texts),
  kind('string', 'mood', {
    sizes: { enum_values: ['a', "b'c", 'd,e'] },
    defaults: ['a', "b'c"],
    values: ["'a'", "'d,e'"],
  }),
  kind('date', 'date', { ...dates, expressions: ['current_date'] }),
  kind('dateTime', 'timestamp without time zone', {
    ...dates,
    sizes: { datetime_precision: 6 },
    expressions: ['now()'],
    defaults: ['2020-02-03 04:05:06'],
  }),
  kind('timestamp', 'timestamp with time zone', {
    ...dates,
    sizes: { datetime_precision: 3 },
    expressions: ['now()'],
    defaults: [],
  }),
  kind('time', 'time without time zone', {
    sizes: { datetime_precision: 6 },
    defaults: ['04:05:06'],
    values: ["'05:06:07'"],
  }),
  kind('uuid', 'uuid', { values: ["'11111111-1111-4111-8111-111111111111'"], expressions: ['uuid()'] }),
  kind('json', 'jsonb', { defaults: ['{}'], values: ['\'{"a": 1}\''] }),
  kind('binary', 'bytea', { values: ["'\\x0011'"] }),
];

const sqliteKinds: readonly ColumnKind[] = [
  kind('integer', 'INTEGER', numbers),
  kind('decimal', 'DECIMAL', {
    ...numbers,
    defaults: ['1.5', '0'],
    sizes: { numeric_precision: 10, numeric_scale: 2 },
  }),
  kind('float', 'REAL', numbers),
  kind('boolean', 'BOOLEAN', { defaults: [true, false], values: ['1', '0'] }),
  kind('string', 'VARCHAR', { ...texts, sizes: { max_length: 40 } }),
  kind('string', 'VARCHAR', { ...texts, sizes: { max_length: 90 } }),
  kind('text', 'TEXT', texts),
  kind('date', 'DATE', dates),
  kind('dateTime', 'DATETIME', { ...dates, expressions: ['now()'] }),
  kind('binary', 'BLOB', blobs),
];

const kinds: Readonly<Record<TestDialect, readonly ColumnKind[]>> = {
  mariadb: mysqlKinds,
  mysql: mysqlKinds,
  postgres: postgresKinds,
  sqlite: sqliteKinds,
};

export const kindsOf = (dialect: TestDialect): readonly ColumnKind[] => kinds[dialect];

/** The column of a generated key. */
export const keyOf: Readonly<
  Record<TestDialect, { readonly type: string; readonly dataType: string; readonly auto: string }>
> = {
  mariadb: { type: 'integer', dataType: 'int', auto: 'counter' },
  mysql: { type: 'integer', dataType: 'int', auto: 'counter' },
  postgres: { type: 'integer', dataType: 'integer', auto: 'default' },
  sqlite: { type: 'integer', dataType: 'INTEGER', auto: 'autoincrement' },
};

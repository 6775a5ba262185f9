/** Maps types of SQLite to those of other databases, and back. A type is any words there; these are the usual ones. */
import type {
  MappedType,
  MappingContext,
  NeutralType,
  SchemaMapping,
  TypeProperties,
} from '../../schema/mapping/types.js';

type Read = (type: TypeProperties) => NeutralType | null;

const plain =
  (type: NeutralType): Read =>
  () =>
    type;

const integer = (bits: 8 | 16 | 24 | 32 | 64): Read =>
  plain({ kind: 'integer', bits, signed: true, ...(bits < 64 && { holdsMore: true }) });

const string =
  (fixed: boolean): Read =>
  ({ max_length: length = null }) => ({ kind: 'string', length, fixed: fixed && length !== null });

const moment =
  (kind: 'dateTime' | 'timestamp'): Read =>
  ({ datetime_precision: fraction }) => ({ kind, fraction: Math.min(fraction ?? 0, 6) });

/** The names that the introspection reads too, in upper case. */
const types: readonly (readonly [names: string, Read])[] = [
  ['INT1|TINYINT', integer(8)],
  ['INT2|SMALLINT', integer(16)],
  ['MEDIUMINT', integer(24)],
  // what is called so holds 64 bits, and is a number in the API, as 32 bits are on other databases
  ['INT|INTEGER|INT4', integer(32)],
  ['INT8|BIGINT|BIG INT', integer(64)],
  ['BOOL|BOOLEAN', plain({ kind: 'boolean' })],
  ['BIT', ({ max_length: bits }) => ((bits ?? 1) === 1 ? { kind: 'boolean' } : null)],
  ['REAL|FLOAT|DOUBLE|DOUBLE PRECISION', plain({ kind: 'float', bits: 64 })],
  [
    'NUMERIC|DECIMAL|DEC|NUM|NUMBER|MONEY',
    ({ numeric_precision: precision = null, numeric_scale: scale = null }) => ({
      kind: 'decimal',
      precision,
      scale: precision === null ? null : (scale ?? 0),
    }),
  ],
  ['CHAR|CHARACTER|NCHAR|NATIVE CHARACTER', string(true)],
  ['N?VARCHAR2?|CHARACTER VARYING|VARYING CHARACTER|STRING', string(false)],
  ['TINYTEXT|TEXT|MEDIUMTEXT|LONGTEXT|CLOB', plain({ kind: 'text', bytes: null })],
  ['(?:TINY|MEDIUM|LONG)?BLOB|BINARY|VARBINARY|BYTEA', plain({ kind: 'binary', bytes: null })],
  ['DATE', plain({ kind: 'date' })],
  ['YEAR', plain({ kind: 'year' })],
  [
    'TIME',
    ({ datetime_precision: fraction }) => ({
      kind: 'time',
      fraction: Math.min(fraction ?? 0, 6),
      beyondDay: false,
    }),
  ],
  ['DATETIME', moment('dateTime')],
  ['TIMESTAMP|TIMESTAMPTZ|TIMESTAMP WITH TIME ZONE', moment('timestamp')],
  ['UUID|GUID|UNIQUEIDENTIFIER', plain({ kind: 'uuid' })],
  ['JSONB?', plain({ kind: 'json', asWritten: true })],
];

const toNeutral = (type: TypeProperties): NeutralType | null => {
  const name = type.data_type.trim().replaceAll(/\s+/g, ' ');
  const read = types.find(([names]) => new RegExp(`^(?:${names})$`, 'i').test(name))?.[1];
  return read === undefined ? null : read(type);
};

const integerNames: Readonly<Record<number, string>> = {
  8: 'tinyint',
  16: 'smallint',
  24: 'mediumint',
  32: 'INTEGER',
  64: 'bigint',
};

const fromNeutral = (type: NeutralType, { isCounter, isKey }: MappingContext): MappedType | null => {
  switch (type.kind) {
    case 'boolean':
    case 'date':
    case 'year':
    case 'uuid':
    case 'json':
      return { data_type: type.kind };
    case 'integer':
      if (isCounter) return { data_type: 'INTEGER' };
      return {
        // as a primary key, `INTEGER` counts
        data_type: isKey && type.bits === 32 ? 'INT' : (integerNames[type.bits] as string),
        ...(!type.signed && { check: { least: 0 } }),
        ...(!type.signed && type.bits === 64 && { loss: 'numbers below 2^63' }),
      };
    case 'decimal':
      return {
        data_type: 'decimal',
        numeric_precision: type.precision,
        numeric_scale: type.scale === null ? null : Math.max(0, type.scale),
        loss: 'exact to 15 digits',
      };
    case 'float':
      return { data_type: type.bits === 32 ? 'float' : 'double' };
    case 'string':
      return { data_type: type.fixed ? 'char' : 'varchar', max_length: type.length };
    case 'text':
      return { data_type: 'TEXT' };
    case 'binary':
      return { data_type: 'BLOB' };
    case 'time':
    case 'dateTime':
    case 'timestamp':
      return { data_type: type.kind.toLowerCase(), datetime_precision: type.fraction || null };
    case 'enum':
      return {
        data_type: 'varchar',
        max_length: Math.max(1, ...type.values.map((value) => [...value].length)),
        check: { values: type.values },
      };
    case 'set':
    case 'list':
      return { data_type: 'json', loss: 'any JSON is accepted' };
    case 'notation':
      return { data_type: 'varchar', max_length: type.length, loss: `any text, not only ${type.name}` };
  }
};

export const mapping: SchemaMapping = {
  toNeutral,
  fromNeutral,
  foreignType: null,
  foreignCollation: null,
  counter: 'autoincrement',
  counters: 'primary key',
  hasComments: false,
  replacedCharacters: null,
  hasOnUpdate: false,
  hasVirtualColumns: true,
  hasNullableKeys: true,
  enforcesSrid: false,
  hasInvisibleColumns: false,
  hasUnenforcedChecks: false,
  hasSetDefault: true,
  deferrableRelations: 'initially deferred',
  hasDeferrableUniques: false,
  hasSharedConstraintNames: false,
  indexes: {
    methods: new Set(),
    predicates: true,
    includes: false,
    prefixes: false,
    expressions: true,
    sharedNames: true,
  },
};

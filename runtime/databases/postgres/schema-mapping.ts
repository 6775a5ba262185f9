/** Maps types of PostgreSQL to those of other databases, and back. */
import type {
  MappedType,
  MappingContext,
  NeutralType,
  SchemaMapping,
  TypeProperties,
} from '../../schema/mapping/types.js';
import { quote } from './quoting.js';
import { integerBits } from './schema-types.js';

/** Types whose values have a notation as text, with its greatest length. */
const notations: ReadonlyMap<string, number> = new Map([
  ['inet', 43],
  ['cidr', 43],
  ['macaddr', 17],
  ['macaddr8', 23],
  ['interval', 255],
  ...['int4', 'int8', 'num', 'ts', 'tstz', 'date'].flatMap((name): [string, number][] => [
    [`${name}range`, 255],
    [`${name}multirange`, 255],
  ]),
]);

const toNeutral = (type: TypeProperties): NeutralType | null => {
  const { data_type: name, max_length: length = null, enum_values: values = null } = type;
  const fraction = type.datetime_precision ?? 6;
  if (name.endsWith('[]')) return { kind: 'list' };
  if (values !== null) return { kind: 'enum', values };
  const bits = integerBits.get(name);
  if (bits !== undefined) return { kind: 'integer', bits: bits as 16, signed: true };
  const notation = notations.get(name);
  if (notation !== undefined) return { kind: 'notation', name, length: notation };
  switch (name) {
    case 'boolean':
    case 'date':
    case 'uuid':
      return { kind: name };
    case 'numeric':
      return {
        kind: 'decimal',
        precision: type.numeric_precision ?? null,
        scale: type.numeric_scale ?? null,
      };
    case 'real':
      return { kind: 'float', bits: 32 };
    case 'double precision':
      return { kind: 'float', bits: 64 };
    case 'character':
      return { kind: 'string', length: length ?? 1, fixed: true };
    case 'character varying':
      return { kind: 'string', length, fixed: false };
    case '"char"':
      return { kind: 'string', length: 1, fixed: true };
    case 'name':
      return { kind: 'string', length: 63, fixed: false };
    case 'text':
    case 'citext':
      return { kind: 'text', bytes: null };
    case 'bytea':
      return { kind: 'binary', bytes: null };
    case 'bit':
    case 'bit varying':
      return { kind: 'notation', name, length: length ?? 255 };
    case 'time without time zone':
      return { kind: 'time', fraction, beyondDay: false };
    case 'timestamp without time zone':
      return { kind: 'dateTime', fraction };
    case 'timestamp with time zone':
      return { kind: 'timestamp', fraction };
    case 'json':
    case 'jsonb':
      return { kind: 'json', asWritten: name === 'json' };
    default:
      return null;
  }
};

/** An integer that holds all numbers of one that may have no sign. */
const toInteger = (bits: number, signed: boolean, isCounter: boolean): MappedType => {
  const needed = signed ? bits : bits + 1;
  const check = signed
    ? {}
    : { check: { least: 0 as const }, loss: `numbers above ${2n ** BigInt(bits) - 1n} are accepted` };
  if (needed <= 16) return { data_type: 'smallint', ...check };
  if (needed <= 32) return { data_type: 'integer', ...check };
  if (needed <= 64) return { data_type: 'bigint', ...check };
  return isCounter
    ? { data_type: 'bigint', ...check, loss: 'numbers below 2^63' }
    : { data_type: 'numeric', numeric_precision: 20, numeric_scale: 0, ...check };
};

/** The type of an enum has a name of its own. */
const enumName = ({ collection, field }: MappingContext): string => {
  const name = Buffer.from(`${collection}_${field}`).subarray(0, 56).toString().replaceAll('�', '');
  return /^[a-z_][a-z0-9_]*$/.test(name) ? name : quote(name);
};

const withFraction = (name: string, fraction: number): MappedType => ({
  data_type: name,
  datetime_precision: fraction === 6 ? null : fraction,
});

const fromNeutral = (type: NeutralType, context: MappingContext): MappedType | null => {
  switch (type.kind) {
    case 'boolean':
    case 'date':
    case 'uuid':
      return { data_type: type.kind };
    case 'year':
      return { data_type: 'smallint', loss: 'any number, not only years' };
    case 'integer':
      return toInteger(type.bits, type.signed, context.isCounter);
    case 'decimal':
      return { data_type: 'numeric', numeric_precision: type.precision, numeric_scale: type.scale };
    case 'float':
      return { data_type: type.bits === 32 ? 'real' : 'double precision' };
    case 'string':
      return {
        data_type: type.fixed && type.length !== null ? 'character' : 'character varying',
        max_length: type.length,
      };
    case 'text':
      return { data_type: 'text' };
    case 'binary':
      return { data_type: 'bytea' };
    case 'time': {
      const mapped = withFraction('time without time zone', type.fraction);
      return type.beyondDay ? { ...mapped, loss: 'only from 00:00 to 24:00' } : mapped;
    }
    case 'dateTime':
      return withFraction('timestamp without time zone', type.fraction);
    case 'timestamp':
      return withFraction('timestamp with time zone', type.fraction);
    case 'json':
      return { data_type: type.asWritten ? 'json' : 'jsonb' };
    case 'enum':
      return { data_type: enumName(context), enum_values: type.values };
    case 'set':
      return { data_type: 'text[]', loss: 'any list of texts' };
    case 'list':
      return { data_type: 'jsonb', loss: 'any JSON is accepted' };
    case 'notation':
      return { data_type: 'inet' };
  }
};

export const mapping: SchemaMapping = {
  toNeutral,
  fromNeutral,
  foreignType: null,
  foreignCollation: null,
  counter: 'default',
  counters: 'any',
  hasComments: true,
  replacedCharacters: null,
  hasOnUpdate: false,
  hasVirtualColumns: false,
  hasNullableKeys: false,
  enforcesSrid: false,
  hasInvisibleColumns: false,
  hasUnenforcedChecks: false,
  hasSetDefault: true,
  deferrableRelations: 'any',
  hasDeferrableUniques: true,
  hasSharedConstraintNames: false,
  indexes: {
    methods: new Set(['hash', 'gin', 'gist', 'spgist', 'brin']),
    predicates: true,
    includes: true,
    prefixes: false,
    expressions: true,
    sharedNames: true,
  },
};

/** Maps types of MySQL and MariaDB to those of other databases, and back. */
import type {
  MappedType,
  MappingContext,
  NeutralType,
  SchemaMapping,
  TypeProperties,
} from '../../schema/mapping/types.js';
import type { Server } from './schema-costs.js';
import { integerBits } from './schema-types.js';

const textBytes = { tiny: 255, usual: 65_535, medium: 16_777_215 };

const bytesOf = (name: string): number | null =>
  name.startsWith('tiny')
    ? textBytes.tiny
    : name.startsWith('medium')
      ? textBytes.medium
      : name.startsWith('long')
        ? null
        : textBytes.usual;

const toNeutral = (type: TypeProperties): NeutralType | null => {
  const [base = '', ...attributes] = type.data_type.split(' ');
  const fraction = type.datetime_precision ?? 0;
  const bits = integerBits.get(base);
  if (bits !== undefined)
    return { kind: 'integer', bits: bits as 8, signed: !attributes.includes('unsigned') };
  if (base.endsWith('text')) return { kind: 'text', bytes: bytesOf(base) };
  if (base.endsWith('blob')) return { kind: 'binary', bytes: bytesOf(base) };
  switch (base) {
    case 'boolean':
    case 'date':
    case 'year':
    case 'uuid':
      return { kind: base };
    case 'decimal':
      return { kind: 'decimal', precision: type.numeric_precision ?? 10, scale: type.numeric_scale ?? 0 };
    case 'float':
      return { kind: 'float', bits: 32 };
    case 'double':
      return { kind: 'float', bits: 64 };
    case 'char':
    case 'varchar':
      return { kind: 'string', length: type.max_length ?? 1, fixed: base === 'char' };
    case 'binary':
    case 'varbinary':
      return { kind: 'binary', bytes: type.max_length ?? 1 };
    case 'bit':
      return (type.numeric_precision ?? 1) === 1 ? { kind: 'boolean' } : { kind: 'binary', bytes: 8 };
    case 'time':
      return { kind: 'time', fraction, beyondDay: true };
    case 'datetime':
      return { kind: 'dateTime', fraction };
    case 'timestamp':
      return { kind: 'timestamp', fraction };
    case 'json':
      return { kind: 'json', asWritten: false };
    case 'enum':
    case 'set':
      return { kind: base, values: type.enum_values ?? [] };
    case 'inet4':
      return { kind: 'notation', name: base, length: 15 };
    case 'inet6':
      return { kind: 'notation', name: base, length: 39 };
    default:
      return null;
  }
};

/** Characters of which an index can have a column (767 of four bytes, less what else is in it). */
const keyLength = 255;

const sizedText = (bytes: number | null, suffix: 'text' | 'blob'): string => {
  if (bytes === null || bytes > textBytes.medium) return `long${suffix}`;
  if (bytes > textBytes.usual) return `medium${suffix}`;
  return bytes > textBytes.tiny ? suffix : `tiny${suffix}`;
};

const toString = (length: number | null, fixed: boolean, isKey: boolean): MappedType => {
  if (isKey && (length === null || length > 768))
    return {
      data_type: 'varchar',
      max_length: keyLength,
      loss: `at most ${keyLength} characters, as it is indexed`,
    };
  if (length === null || length > 16_383) return { data_type: 'longtext' };
  return { data_type: fixed && length <= 255 ? 'char' : 'varchar', max_length: length };
};

const toBinary = (bytes: number | null, isKey: boolean): MappedType => {
  if (!isKey) return { data_type: sizedText(bytes, 'blob') };
  const length = Math.min(bytes ?? keyLength, keyLength);
  return {
    data_type: 'varbinary',
    max_length: length,
    ...(length !== bytes && { loss: `at most ${keyLength} bytes, as it is indexed` }),
  };
};

const decimal = (digits: number, fraction: number, loss?: string): MappedType => ({
  data_type: 'decimal',
  numeric_precision: digits,
  numeric_scale: fraction,
  ...(loss !== undefined && { loss }),
});

const toDecimal = (precision: number | null, scale: number | null): MappedType => {
  if (precision === null) return decimal(65, 30, 'at most 35 digits before the point and 30 after it');
  const fraction = scale ?? 0;
  if (fraction < 0) return decimal(Math.min(65, precision - fraction), 0, 'not rounded before the point');
  if (precision <= 65 && fraction <= Math.min(30, precision)) return decimal(precision, fraction);
  return decimal(65, Math.min(30, fraction), 'at most 65 digits, 30 of them after the point');
};

const integerNames: Readonly<Record<number, string>> = Object.fromEntries(
  [...integerBits].map(([name, bits]) => [bits, name]),
);

const fromNeutral =
  (server: Server) =>
  (type: NeutralType, { isKey }: MappingContext): MappedType | null => {
    switch (type.kind) {
      case 'boolean':
      case 'date':
      case 'year':
        return { data_type: type.kind };
      case 'uuid':
        return server === 'mariadb' ? { data_type: 'uuid' } : { data_type: 'char', max_length: 36 };
      case 'integer':
        return { data_type: `${integerNames[type.bits]}${type.signed ? '' : ' unsigned'}` };
      case 'decimal':
        return toDecimal(type.precision, type.scale);
      case 'float':
        return { data_type: type.bits === 32 ? 'float' : 'double', loss: 'neither NaN nor infinity' };
      case 'string':
        return toString(type.length, type.fixed, isKey);
      case 'text':
        return isKey ? toString(null, false, true) : { data_type: sizedText(type.bytes, 'text') };
      case 'binary':
        return toBinary(type.bytes, isKey);
      case 'time':
      case 'dateTime':
        return { data_type: type.kind.toLowerCase(), datetime_precision: type.fraction || null };
      case 'timestamp':
        return {
          data_type: 'timestamp',
          datetime_precision: type.fraction || null,
          loss: 'only from 1970 to 2038',
        };
      case 'json':
        return server === 'mysql' && type.asWritten
          ? { data_type: 'json', loss: 'neither the order of keys nor equal keys' }
          : { data_type: 'json' };
      case 'enum':
      case 'set':
        return { data_type: type.kind, enum_values: type.values };
      case 'list':
        return { data_type: 'json', loss: 'any JSON is accepted' };
      case 'notation':
        if (server === 'mariadb' && /^inet[46]$/.test(type.name)) return { data_type: type.name };
        return { data_type: 'varchar', max_length: type.length, loss: `any text, not only ${type.name}` };
    }
  };

/** Creates the mapping of a server. */
export const createMapping = (server: Server): SchemaMapping => ({
  toNeutral,
  fromNeutral: fromNeutral(server),
  foreignType: server === 'mysql' ? /^(?:uuid|inet4|inet6)$/ : /^vector$/,
  foreignCollation: server === 'mysql' ? /_(?:uca1400|nopad)_/ : /_0900_/,
  counter: 'counter',
  counters: 'key',
  hasComments: true,
  // they are `utf8mb3`
  replacedCharacters: /[\u{10000}-\u{10ffff}]/gu,
  hasOnUpdate: true,
  hasVirtualColumns: true,
  hasNullableKeys: false,
  enforcesSrid: server === 'mysql',
  hasInvisibleColumns: true,
  hasUnenforcedChecks: server === 'mysql',
  hasSetDefault: false,
  deferrableRelations: 'none',
  hasDeferrableUniques: false,
  hasSharedConstraintNames: true,
  indexes: {
    methods: new Set(['fulltext', 'spatial', 'hash']),
    predicates: false,
    includes: false,
    prefixes: true,
    expressions: server === 'mysql',
    sharedNames: false,
  },
});

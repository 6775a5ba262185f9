/** Field types: one record each, with all that holds on every database; what differs is in the folders of databases. */
import {
  clock,
  day,
  decimalExample,
  decimalSchema,
  fractionOf,
  integerSchema,
  span,
  type Direction,
  type FieldShape,
  type JsonSchema,
} from './field-shapes.js';
import { geometryExample, geometrySchema, type GeometryShape } from './geometry.js';
import { operatorsIn, type Operator, type OperatorGroup } from './operators.js';

const anyGeometry: GeometryShape = { type: null, srid: null };

/** Names of the filter for such a field. */
interface FilterNames {
  /** A component of OpenAPI. */
  readonly openapi: string;
  /** The stem of a GraphQL input type. */
  readonly graphql: string;
  /** Type in the client. */
  readonly typescript: string;
}

interface FieldTypeRecord {
  readonly operators: readonly OperatorGroup[];
  readonly filter: FilterNames;
  readonly typescript: string;
  readonly graphql: string;
  readonly schema: (shape: FieldShape, direction: Direction) => JsonSchema;
  readonly example: (shape: FieldShape) => unknown;
  /** Description of the JSON form for documentation; null where the example shows it. */
  readonly wireForm: string | null;
  /** Note beyond the TypeScript type; null where that is complete. */
  readonly note: string | null;
  /** The form in which payloads and operands are compared: numbers, texts, or values parsed from both. */
  readonly comparison: 'number' | 'text' | 'value';
  /** The operator of `search`; null for a field that is not searched. */
  readonly search: 'icontains' | 'searched' | null;
  /** Whether values compare as they sort, so that a page can begin after one. */
  readonly isPageable: boolean;
  /** Equal values have one spelling. */
  readonly canonical?: true;
  /** Has a time of day with fractional seconds. */
  readonly hasClock?: true;
}

const textOperators = ['equality', 'membership', 'nullness', 'matching', 'emptiness'] as const;
const keyOperators = ['equality', 'membership', 'nullness'] as const;
const orderedOperators = ['equality', 'membership', 'nullness', 'order'] as const;

const textFilter: FilterNames = { openapi: 'StringOperators', graphql: 'string', typescript: 'TextFilter' };
const keyFilter: FilterNames = { openapi: 'KeyOperators', graphql: 'id', typescript: 'KeyFilter' };
const dateFilter: FilterNames = { openapi: 'DateOperators', graphql: 'date', typescript: 'DateFilter' };
const jsonFilter: FilterNames = { openapi: 'JsonOperators', graphql: 'json', typescript: 'JsonFilter' };
const nullFilter: FilterNames = { openapi: 'NullOperators', graphql: 'null', typescript: 'NullFilter' };

const text = {
  operators: textOperators,
  filter: textFilter,
  typescript: 'string',
  graphql: 'String',
  schema: ({ length, values }) => ({
    type: 'string',
    ...(length !== null && { maxLength: length }),
    ...(values !== null && { enum: [...values] }),
  }),
  example: ({ length, values }) => values?.[0] ?? 'example'.slice(0, length ?? undefined),
  wireForm: 'string',
  note: null,
  comparison: 'text',
  search: 'icontains',
  isPageable: true,
} as const satisfies FieldTypeRecord;

const records = {
  string: text,
  text,
  integer: {
    operators: orderedOperators,
    filter: { openapi: 'IntegerOperators', graphql: 'number', typescript: 'NumberFilter' },
    typescript: 'number',
    graphql: 'Int',
    schema: integerSchema,
    example: () => 1,
    wireForm: 'number',
    note: null,
    comparison: 'number',
    search: 'searched',
    isPageable: true,
    canonical: true,
  },
  /** 64 bits exceed a JSON number, so the value is a string of digits. Small numbers are accepted as well. */
  bigInteger: {
    operators: orderedOperators,
    filter: { openapi: 'IntegerOperators', graphql: 'big_int', typescript: 'DigitsFilter' },
    typescript: 'string',
    graphql: 'BigInt',
    schema: ({ unsigned }, direction) => ({
      type: direction === 'read' ? 'string' : ['string', 'integer'],
      pattern: unsigned ? '^[0-9]{1,20}$' : '^-?[0-9]{1,19}$',
    }),
    example: () => '1',
    wireForm: 'string with a whole number',
    note: 'A whole number, as digits.',
    comparison: 'number',
    search: 'searched',
    isPageable: true,
    canonical: true,
  },
  float: {
    operators: orderedOperators,
    filter: { openapi: 'NumberOperators', graphql: 'number', typescript: 'NumberFilter' },
    typescript: 'number',
    graphql: 'Float',
    schema: () => ({ type: 'number' }),
    example: () => 1.5,
    wireForm: 'number',
    note: null,
    comparison: 'number',
    search: 'searched',
    isPageable: true,
  },
  decimal: {
    operators: orderedOperators,
    filter: { openapi: 'NumberOperators', graphql: 'number', typescript: 'DigitsFilter' },
    typescript: 'string',
    graphql: 'Decimal',
    schema: decimalSchema,
    example: decimalExample,
    wireForm: 'string with a number',
    note: 'A decimal number, as digits.',
    comparison: 'number',
    search: 'searched',
    isPageable: true,
  },
  boolean: {
    operators: ['equality', 'nullness'],
    filter: { openapi: 'BooleanOperators', graphql: 'boolean', typescript: 'BooleanFilter' },
    typescript: 'boolean',
    graphql: 'Boolean',
    schema: () => ({ type: 'boolean' }),
    example: () => true,
    wireForm: 'boolean',
    note: null,
    comparison: 'value',
    search: null,
    isPageable: true,
    canonical: true,
  },
  date: {
    operators: orderedOperators,
    filter: dateFilter,
    typescript: 'string',
    graphql: 'Date',
    schema: () => ({ type: 'string', format: 'date' }),
    example: () => '2026-01-31',
    wireForm: null,
    note: 'YYYY-MM-DD',
    comparison: 'value',
    search: null,
    isPageable: true,
  },
  time: {
    operators: orderedOperators,
    filter: dateFilter,
    typescript: 'string',
    graphql: 'String',
    schema: (_, direction) => ({ type: 'string', pattern: `^${direction === 'read' ? span : clock}$` }),
    example: (shape) => `12:30:00${fractionOf(shape)}`,
    wireForm: null,
    note: 'HH:MM:SS',
    comparison: 'value',
    search: null,
    isPageable: true,
    hasClock: true,
  },
  dateTime: {
    operators: orderedOperators,
    filter: dateFilter,
    typescript: 'string',
    graphql: 'Date',
    schema: () => ({ type: 'string', pattern: `^${day}T${clock}$` }),
    example: (shape) => `2026-01-31T12:30:00${fractionOf(shape)}`,
    wireForm: null,
    note: 'YYYY-MM-DDTHH:MM:SS',
    comparison: 'value',
    search: null,
    isPageable: true,
    hasClock: true,
  },
  timestamp: {
    operators: orderedOperators,
    filter: dateFilter,
    typescript: 'string',
    graphql: 'Date',
    schema: (_, direction) => ({
      type: 'string',
      format: 'date-time',
      ...(direction === 'read' && { pattern: `^${day}T${clock}Z$` }),
    }),
    example: (shape) => `2026-01-31T12:30:00${fractionOf(shape)}Z`,
    wireForm: null,
    note: 'YYYY-MM-DDTHH:MM:SSZ',
    comparison: 'value',
    search: null,
    isPageable: true,
    hasClock: true,
  },
  uuid: {
    operators: keyOperators,
    filter: keyFilter,
    typescript: 'string',
    graphql: 'ID',
    schema: () => ({ type: 'string', format: 'uuid' }),
    example: () => '0b7b1f5e-3f7a-4a57-8a3b-6f1f2c9d4e5a',
    wireForm: 'string with a UUID',
    note: null,
    comparison: 'value',
    search: 'searched',
    isPageable: true,
    canonical: true,
  },
  json: {
    operators: ['nullness'],
    filter: jsonFilter,
    typescript: 'unknown',
    graphql: 'JSON',
    schema: () => ({}),
    example: () => ({ key: 'value' }),
    wireForm: 'any JSON',
    note: null,
    comparison: 'text',
    search: null,
    isPageable: false,
  },
  csv: {
    operators: textOperators,
    filter: textFilter,
    typescript: 'string[]',
    graphql: '[String]',
    schema: () => ({ type: 'array', items: { type: 'string', pattern: '^[^,]*$' } }),
    example: () => ['example'],
    wireForm: 'array of strings',
    note: null,
    comparison: 'text',
    search: 'icontains',
    isPageable: false,
  },
  binary: {
    operators: keyOperators,
    filter: keyFilter,
    typescript: 'string',
    graphql: 'String',
    schema: ({ length }) => ({
      type: 'string',
      contentEncoding: 'base64',
      ...(length !== null && { maxLength: 4 * Math.ceil(length / 3) }),
    }),
    example: () => 'AAAA',
    wireForm: 'string in Base64',
    note: 'Base64.',
    comparison: 'value',
    search: null,
    isPageable: false,
  },
  geometry: {
    operators: ['nullness'],
    filter: nullFilter,
    typescript: 'svc.Geometry',
    graphql: 'JSON',
    schema: ({ geometry }) => geometrySchema(geometry ?? anyGeometry),
    example: ({ geometry }) => geometryExample(geometry ?? anyGeometry),
    wireForm: 'GeoJSON geometry',
    note: 'A GeoJSON geometry.',
    comparison: 'text',
    search: null,
    isPageable: false,
  },
  vector: {
    operators: ['nullness'],
    filter: nullFilter,
    typescript: 'number[]',
    graphql: '[Float]',
    schema: ({ length }) => ({
      type: 'array',
      items: { type: 'number' },
      minItems: 1,
      ...(length !== null && { maxItems: length }),
    }),
    example: ({ length }) => [0.25, 0.5].slice(0, length ?? undefined),
    wireForm: 'array of numbers',
    note: null,
    comparison: 'text',
    search: null,
    isPageable: false,
  },
  /** A type svc does not know: readable as text. */
  unknown: {
    ...text,
    operators: ['nullness'],
    filter: nullFilter,
    wireForm: 'string, as the database spells it',
    search: null,
    isPageable: false,
  },
} as const satisfies Readonly<Record<string, FieldTypeRecord>>;

/** Name of a field type. Its JSON form is described by `docs` in OpenAPI. */
export type FieldType = keyof typeof records;

export const fieldTypes: Readonly<Record<FieldType, FieldTypeRecord>> = records;

const operatorSets = Object.fromEntries(
  Object.entries(fieldTypes).map(([name, { operators }]) => [name, operatorsIn(operators)]),
) as Readonly<Record<FieldType, ReadonlySet<Operator>>>;

const concealedOperators = operatorsIn(['emptiness', 'nullness']);

/** Properties of a field that determine its comparison. */
interface Comparable {
  readonly type: FieldType;
  readonly conceal?: boolean;
  readonly hash?: boolean;
}

/** Returns the filter operators of a field. Masked values can only be tested for presence. */
export const operatorsOf = ({ type, conceal, hash }: Comparable): ReadonlySet<Operator> =>
  conceal === true || hash === true ? concealedOperators : operatorSets[type];

/** Operators of a value at a path of JSON, which may be of any type. */
export const pathOperators = operatorsIn([
  'equality',
  'membership',
  'nullness',
  'order',
  'matching',
  'emptiness',
]);

/** Returns whether a filter takes `_json`: conditions on the values in the field. */
export const takesPaths = ({ type, conceal, hash }: Comparable): boolean =>
  type === 'json' && conceal !== true && hash !== true;

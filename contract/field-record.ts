/** The type of the record that `field-types.ts` has for each field type. */
import type { ReadDefault } from './field-defaults.js';
import type { Direction, FieldShape, JsonSchema } from './field-shapes.js';
import type { OperatorGroup } from './operators.js';

/** Names of the filter for such a field. */
export interface FilterNames {
  /** A component of OpenAPI. */
  readonly openapi: string;
  /** The stem of a GraphQL input type. */
  readonly graphql: string;
  /** Type in the client. */
  readonly typescript: string;
}

export interface FieldTypeRecord {
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
  /** The form in which payloads and operands are compared in memory: numbers, texts, or values parsed from both. */
  readonly comparison: 'number' | 'text' | 'value';
  /** The type of sums; absent where there are none. Averages are floats where sums are, and decimals otherwise. */
  readonly sum?: 'bigInteger' | 'decimal' | 'float';
  /** The operator of `search`; null for a field that is not searched. */
  readonly search: 'icontains' | 'searched' | null;
  /**
   * `paged`: values compare as they sort, so that a page can begin after one. `sorted`: they sort. Null where not every database
   * can sort them.
   */
  readonly order: 'paged' | 'sorted' | null;
  /** Reads the text of a literal default as JSON; absent where no default is a plain value. */
  readonly readDefault?: ReadDefault;
  /** The unit of a length; absent for characters. */
  readonly lengthUnit?: 'byte' | 'number';
  /** A text without a form of its own; such types differ in their length only. */
  readonly isText?: true;
  /** Equal values have one spelling. */
  readonly canonical?: true;
  /** Has a year, a month and a day. */
  readonly hasDay?: true;
  /** Has a time of day with fractional seconds. */
  readonly hasClock?: true;
}

/** The type of the record that `field-types.ts` has for each field type. */
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

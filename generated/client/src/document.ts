/** Typed GraphQL documents. */

/** A document with its types, as graphql-codegen generates it in string mode. */
export interface TypedDocument<Answer, Variables> {
  toString(): string;
  /** Exists only in the type. */
  readonly __apiType?: (variables: Variables) => Answer;
}

/** The schema of the collections (`items`) or of svc itself (`system`). */
export type SchemaName = 'items' | 'system';

/** A document with the schema it is written for. */
export interface Document<Answer, Variables> extends TypedDocument<Answer, Variables> {
  readonly schema: SchemaName;
}

/**
 * Creates a document that its `toString()` turns into text; `schema` decides the endpoint, the type
 * parameters its variables and answer.
 */
export const createDocument = <Answer, Variables>(
  schema: SchemaName,
  text: string,
): Document<Answer, Variables> => ({ schema, toString: () => text });

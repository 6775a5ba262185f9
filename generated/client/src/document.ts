/** GraphQL documents that know their types. */

/** A document with its types, as graphql-codegen makes them in string mode. */
export interface TypedDocument<Answer, Variables> {
  toString(): string;
  /** Only a type. */
  readonly __apiType?: (variables: Variables) => Answer;
}

/** One of the two schemas: that of the collections, or that of svc itself. */
export type SchemaName = 'items' | 'system';

/** A document, and the schema it is for. */
export interface Document<Answer, Variables> extends TypedDocument<Answer, Variables> {
  readonly schema: SchemaName;
}

export const createDocument = <Answer, Variables>(
  schema: SchemaName,
  text: string,
): Document<Answer, Variables> => ({ schema, toString: () => text });

/** GraphQL: documents with their types, or plain text. */
import { ApiError, problemsOf, toApiError } from './errors.js';
import type { Call, CallOptions } from './transport.js';

/** A document that knows its types, as graphql-codegen makes them in string mode. */
export interface TypedDocument<Answer, Variables> {
  toString(): string;
  /** Only a type. */
  readonly __apiType?: (variables: Variables) => Answer;
}

export interface GraphqlOptions extends CallOptions {
  /** Which of the two schemas: that of the collections, or that of svc itself. */
  readonly schema?: 'items' | 'system' | undefined;
}

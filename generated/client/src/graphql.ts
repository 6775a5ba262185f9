/** Sends GraphQL documents. */
import type { SchemaName, TypedDocument } from './document.js';
import { problemsOf, toApiError } from './errors.js';
import { dataOf, type Call, type CallOptions } from './transport.js';

export interface GraphqlOptions extends CallOptions {
  /** Schema of documents that do not name one; `items` by default. */
  readonly schema?: SchemaName | undefined;
}

/** The variables are optional if none is required. */
type Rest<Variables> =
  Record<never, never> extends Variables
    ? [variables?: Variables, options?: GraphqlOptions]
    : [variables: Variables, options?: GraphqlOptions];

export interface Graphql {
  /**
   * Runs a document. A typed document defines the types of variables and result; for a string, pass the type of the
   * result: `graphql<{ Album: { Title: string }[] }>('{ Album { Title } }')`.
   * @throws ApiError also when only a part of the document failed
   */
  <Answer = unknown, Variables = Readonly<Record<string, unknown>>>(
    document: string | TypedDocument<Answer, Variables>,
    ...rest: Rest<Variables>
  ): Promise<Answer>;
}

type AnyDocument = string | (TypedDocument<unknown, unknown> & { readonly schema?: SchemaName });

/** Paths of the schemas. */
const paths: Readonly<Record<SchemaName, string>> = { items: '/graphql', system: '/graphql/system' };

interface Answer {
  readonly data: unknown;
  readonly errors?: unknown;
}

/**
 * Creates `client.graphql`. It returns `data`.
 * @throws ApiError where the answer has errors, even beside data
 */
export const createGraphql =
  (call: Call) =>
  async (document: AnyDocument, variables?: object, { schema, signal }: GraphqlOptions = {}) => {
    const own = typeof document === 'string' ? undefined : document.schema;
    const url = paths[schema ?? own ?? 'items'];
    const body = { query: document.toString(), variables };
    const answer = await call<Answer>(
      ({ client, ...shared }) => client.post<{ 200: Answer }>({ ...shared, url, body }),
      { signal },
    );
    if (problemsOf(answer).length > 0) throw toApiError(200, answer);
    return dataOf(answer);
  };

/** Shared by the tests of GraphQL: what to send, and what came back. */
import type { Answer, TestServer } from '../server-harness.js';

export interface GraphqlAnswer extends Answer {
  /** Messages of GRAPHQL_VALIDATION errors. */
  readonly problems: readonly string[];
}

interface Options {
  readonly as?: string;
  readonly variables?: unknown;
  readonly operationName?: string;
  readonly path?: string;
}

/** Sends a document by POST; as the administrator unless said otherwise. `as: 'public'`: nobody. */
export const ask = async (
  server: TestServer,
  query: unknown,
  { as = 'admin', path = '/graphql', ...rest }: Options = {},
): Promise<GraphqlAnswer> => {
  const answer = await server.request('POST', path, {
    ...(as !== 'public' && { as }),
    body: { query, ...rest },
  });
  const problems = answer.errors.flatMap(({ code, errors }) =>
    code === 'GRAPHQL_VALIDATION'
      ? (errors as { readonly message: string }[]).map(({ message }) => message)
      : [],
  );
  return { ...answer, problems };
};

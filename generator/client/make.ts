/** What the tools make of the client: REST functions and GraphQL documents. */
import type { OutputFile } from '../model/types.js';
import type { Json } from './document.js';
import type { Schemas } from './graphql.js';

export interface ClientTask {
  /** OpenAPI document. */
  readonly document: Json;
  readonly schemas: Schemas;
}

/** The same task gives the same bytes. */
export const makeClient = async ({ document, schemas }: ClientTask): Promise<OutputFile[]> => {
  const [{ makeRest }, { makeGraphql }] = await Promise.all([import('./rest.js'), import('./graphql.js')]);
  return [...(await makeRest(document)), ...(await makeGraphql(schemas))];
};

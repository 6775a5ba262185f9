/** Runs the tools that generate REST functions and GraphQL documents of the client. */
import type { OutputFile } from '../model/types.js';
import type { Json } from './document.js';
import type { Schemas } from './graphql.js';

export interface ClientTask {
  /** OpenAPI document. */
  readonly document: Json;
  readonly schemas: Schemas;
}

/** Generates the files of a task; the same task yields the same bytes. */
export const makeClient = async ({ document, schemas }: ClientTask): Promise<OutputFile[]> => {
  const [{ makeRest }, { makeGraphql }] = await Promise.all([import('./rest.js'), import('./graphql.js')]);
  return [...(await makeRest(document)), ...(await makeGraphql(schemas))];
};

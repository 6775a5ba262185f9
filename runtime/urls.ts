import type { Config } from './config.js';

/** What a running server offers to people and programs, by name. */
export const urlsOf = (config: Config, url: string): Readonly<Record<string, string>> => ({
  items: `${url}/items`,
  graphql: `${url}/graphql`,
  ...(config.explorer ? { docs: `${url}/docs`, graphiql: `${url}/graphiql` } : {}),
  openapi: `${url}/server/specs/oas`,
  health: `${url}/server/health`,
});

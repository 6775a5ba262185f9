import type { Config } from './config.js';

/** Where clients meet a server: `PUBLIC_URL`, else the port it listens on. */
export const urlOf = ({ publicUrl, host, port }: Pick<Config, 'publicUrl' | 'host' | 'port'>): string =>
  publicUrl ?? `http://${host.includes(':') ? `[${host}]` : host}:${port}`;

/** What a running server offers to people and programs, by name. */
export const urlsOf = (config: Config, url: string): Readonly<Record<string, string>> => ({
  items: `${url}/items`,
  graphql: `${url}/graphql`,
  ...(config.explorer ? { docs: `${url}/docs`, graphiql: `${url}/graphiql` } : {}),
  openapi: `${url}/server/specs/oas`,
  health: `${url}/server/health`,
});

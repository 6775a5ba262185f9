import type { Config } from './config.js';

/** Returns the URL that clients use: `PUBLIC_URL`, or one made from host and port. */
export const urlOf = ({ publicUrl, host, port }: Pick<Config, 'publicUrl' | 'host' | 'port'>): string =>
  publicUrl ?? `http://${host.includes(':') ? `[${host}]` : host}:${port}`;

/** Returns the URLs of a running server by name. */
export const urlsOf = (config: Config, url: string): Readonly<Record<string, string>> => ({
  items: `${url}/items/<collection>`,
  graphql: `${url}/graphql`,
  ...(config.explorer ? { docs: `${url}/docs`, graphiql: `${url}/graphiql` } : {}),
  openapi: `${url}/server/specs/oas`,
  health: `${url}/server/health`,
});

import { afterAll, beforeAll } from 'vitest';
import { startTestServer, type TestServer, type TestServerOptions } from '../server-harness.js';

/** A server for the tests of the surrounding `describe`. */
export const useServer = (options: TestServerOptions): (() => TestServer) => {
  let server: TestServer | null = null;
  beforeAll(async () => {
    server = await startTestServer(options);
  });
  afterAll(() => server?.close());
  return () => {
    if (server === null) throw new Error('the server has not been started');
    return server;
  };
};

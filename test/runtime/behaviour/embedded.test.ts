/** Inside somebody else's Express application. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import express, { type Express } from 'express';
import { afterAll, describe, expect, it } from 'vitest';
import { sampleDialects } from '../../databases.js';
import { mountPath } from '../harness/listeners.js';
import { useServer } from '../harness/use-server.js';
import { adminToken } from '../server-harness.js';
import { libraryMeta, librarySql } from './library.js';

const post = (url: string, type: string, body: string) =>
  fetch(`${url}/items/book?fields=title`, {
    method: 'POST',
    headers: { authorization: `Bearer ${adminToken}`, 'content-type': type },
    body,
  });

describe.each(sampleDialects(import.meta.url))('an application that embeds svc, on %s', (dialect) => {
  const closings: (() => void)[] = [];
  afterAll(() => closings.forEach((close) => close()));

  const listen = async (app: Express): Promise<string> => {
    const listener = createServer(app);
    await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
    closings.push(() => listener.close());
    return `http://127.0.0.1:${(listener.address() as AddressInfo).port}`;
  };
  const server = useServer({ dialect, listener: 'express', sql: librarySql(dialect), meta: libraryMeta });
  const ours = (): Express => server().app as Express;

  it.each([
    ['JSON', express.json()],
    ['text', express.text({ type: '*/*' })],
    ['bytes', express.raw({ type: '*/*' })],
  ])('can have parsed the body as %s', async (_, parser) => {
    const embedder = express().use(parser, ours());
    const answer = await post(await listen(embedder), 'application/json', '{"title":"Parsed"}');
    expect(await answer.json()).toEqual({ data: { title: 'Parsed' } });
  });

  it('keeps its own routes', async () => {
    const embedder = express().get('/own', (_request, response) => void response.send('own'));
    embedder.use(mountPath, ours());
    const url = await listen(embedder);
    expect(await (await fetch(`${url}/own`)).text()).toBe('own');
    expect(await (await fetch(`${url}${mountPath}/server/ping`)).text()).toBe('pong');
    expect((await fetch(`${url}/items/book`)).status).toBe(404);
  });

  it('uses its mount path in the OpenAPI document', async () => {
    const { body } = await server().request('GET', '/server/specs/oas', { as: 'admin' });
    expect(body).toMatchObject({ servers: [{ url: mountPath }] });
  });
});

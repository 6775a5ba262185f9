/** First attempts of webhooks: a receiver that is slow or gone takes its share of them, and no more. */
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createId } from '../../runtime/queue/ids.js';
import { findDelivery, insertDelivery } from '../../runtime/queue/store/deliveries.js';
import { dialects } from '../databases.js';
import { startTestQueue, until, type TestQueue } from './harness.js';

const crowd = 60;

describe.each(dialects)('webhooks on %s', (dialect) => {
  let queue: TestQueue;
  let silent: Server;
  const held: ServerResponse[] = [];

  beforeAll(async () => {
    silent = createServer((_request, response) => void held.push(response));
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    queue = await startTestQueue(dialect);
    await queue.startWorkers();
  });
  afterAll(async () => {
    for (const response of held) response.destroy();
    silent.close();
    await queue.close();
  });

  const insert = async (url: string, created = Date.now()): Promise<string> => {
    const account = queue.ids.users.get('ann') ?? '';
    const { id } = await insertDelivery(queue.database, {
      id: createId(),
      request: null,
      account,
      url,
      created,
    });
    return id;
  };
  const stateOf = async (id: string) => (await findDelivery(queue.database, id))?.state;
  const delivered = (id: string) => until(async () => ((await stateOf(id)) === 'delivered' ? true : null));

  it('to one receiver do not wait for another that says nothing', async () => {
    const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/`;
    const crowded: string[] = [];
    for (let index = 0; index < crowd; index += 1) crowded.push(await insert(url));
    await until(() => (held.length >= 16 ? true : null));
    for (let index = 0; index < 20; index += 1) await delivered(await insert(`${queue.receiver.url}/quick`));
    expect(held.length).toBeLessThan(2 * 16);
    const states = await Promise.all(crowded.map(stateOf));
    expect(new Set(states)).toEqual(new Set(['pending']));
  });

  it('that a courier took and did not bring are brought by another', async () => {
    const id = await insert(`${queue.receiver.url}/left`, 1);
    await delivered(id);
    await queue.execute(
      `update svc_deliveries set state = 'pending', date_claimed = ${Date.now()} where id = '${id}'`,
    );
    const attempts = async () => (await findDelivery(queue.database, id))?.attempts;
    expect(await attempts()).toBe(1);
    await queue.execute(`update svc_deliveries set date_claimed = 1 where id = '${id}'`);
    await until(async () => ((await attempts()) === 2 ? true : null));
    await delivered(id);
  });
});

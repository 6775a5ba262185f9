/** Positions in the queue are exact up to a bound, in the order of priority, time and id. */
import { describe, expect, it } from 'vitest';
import { createId } from '../../runtime/queue/store/ids.js';
import { insertRequests } from '../../runtime/queue/store/requests.js';
import {
  countAhead,
  countFromPriority,
  countWaiting,
  maxPosition,
} from '../../runtime/queue/store/waiting-counts.js';
import { createRandom } from '../../models/random.js';
import { dialectsOf } from '../databases.js';
import { useServer } from '../runtime/harness/use-server.js';
import { newRequest } from './new-request.js';

const dialects = dialectsOf(import.meta.url);

const model = 'test/positions';

describe.each(dialects)('positions on %s', (dialect) => {
  const serverOf = useServer({ dialect });

  it('are exact up to a thousand, the position of all further requests', async () => {
    const server = serverOf();
    const random = createRandom(1);
    const requests = Array.from({ length: maxPosition + 200 }, () =>
      newRequest(model, {
        id: createId(),
        account: createId(),
        priority: -Math.floor(random() * 3),
        created: 1_000 + Math.floor(random() * 300),
      }),
    );
    await insertRequests(server.database, requests);
    const sorted = requests.toSorted(
      (a, b) => b.priority - a.priority || a.created - b.created || (a.id < b.id ? -1 : 1),
    );
    const wrong: unknown[] = [];
    for (const [position, request] of sorted.entries()) {
      if (position % 37 !== 0 && Math.abs(position - maxPosition) > 3) continue;
      const found = await countAhead(server.database, request);
      if (found !== Math.min(position, maxPosition)) wrong.push({ position, found });
    }
    expect(wrong).toEqual([]);
    const urgent = requests.filter(({ priority }) => priority >= -1).length;
    const from = { model, priority: -1 };
    expect(await countFromPriority(server.database, from, 10_000)).toBe(urgent);
    expect(await countFromPriority(server.database, from, 7)).toBe(7);
    expect(await countWaiting(server.database, model, 10_000)).toBe(requests.length);
    expect(await countWaiting(server.database, model, 3)).toBe(3);
  });
});

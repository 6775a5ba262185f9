/** Notifications about requests that received slots are sent in the background: none of their errors reaches who waits. */
import { expect, it } from 'vitest';
import { createNotifier, type NotifierOptions } from '../../runtime/queue/requests/notifier.js';

it('reports that the requests cannot be read, and leaves them to the sweep', async () => {
  const lost = new Error('connection lost');
  const errors: unknown[] = [];
  const database = { quote: (name: string) => name, query: () => Promise.reject(lost) };
  const notifier = createNotifier({
    database,
    models: { find: () => undefined },
    gateway: {},
    resultTtl: 60_000,
    onError: (error: unknown) => void errors.push(error),
  } as unknown as NotifierOptions);
  await notifier.notifyAdmitted(['a', 'b']);
  expect(errors).toEqual([lost]);
});

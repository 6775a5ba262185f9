/** A transfer runs with the rights that its submitter has now. An error of the server does not end it as a loss of rights. */
import { expect, it, vi } from 'vitest';
import { apiError, type ApiError } from '../../../contract/errors.js';
import { RightsLost, runAsSubmitter, type TransferServices } from '../../../runtime/transfers/submitter.js';

const run = (row: object | undefined, error: ApiError) => {
  const work = vi.fn<() => Promise<void>>();
  const services = {
    items: { database: { query: async () => [row] } },
    access: { admit: () => Promise.reject(error) },
  } as unknown as TransferServices;
  const failure = runAsSubmitter({ account: 'ann', address: '127.0.0.1' }, services, work).catch(
    (reason: unknown) => reason,
  );
  return { failure, work };
};

const active = { id: 'ann', status: 'active' };
const unavailable = apiError('SERVICE_UNAVAILABLE', { service: 'database' }, 'the database does not answer');

it.each([
  ['is gone', undefined, apiError('INVALID_CREDENTIALS', {})],
  ['is not active', { ...active, status: 'archived' }, apiError('INVALID_CREDENTIALS', {})],
  ['may not come from the address', active, apiError('INVALID_IP', {})],
])('a submitter who %s has lost the rights', async (_, row, error) => {
  const { failure, work } = run(row, error);
  const found = await failure;
  expect(found).toBeInstanceOf(RightsLost);
  expect((found as RightsLost).cause.code).toBe(error.code);
  expect(work).not.toHaveBeenCalled();
});

it('a submitter who cannot be looked up has lost nothing', async () => {
  const { failure, work } = run(active, unavailable);
  expect(await failure).toBe(unavailable);
  expect(work).not.toHaveBeenCalled();
});

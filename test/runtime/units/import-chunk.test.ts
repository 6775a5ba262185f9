/** A chunk of an import that cannot be stored now: no row is at fault for errors of the server. */
import { expect, it } from 'vitest';
import { apiError } from '../../../contract/errors.js';
import { importChunk, type ImportJob } from '../../../runtime/transfers/import-chunk.js';

it.each(['stop', 'report'] as const)(
  'an error of the server rejects no row, with on_error=%s',
  async (onError) => {
    const unavailable = apiError(
      'SERVICE_UNAVAILABLE',
      { service: 'database' },
      'the database does not answer',
    );
    const state = { position: 0, line: 0, done: 0, rejected: 0, reports: 0, progress: 0 };
    const job = {
      items: { database: { query: async () => [{ id: 'ann', status: 'active' }] } },
      access: { admit: () => Promise.reject(unavailable) },
      account: 'ann',
      input: { on_error: onError, address: '127.0.0.1', size: 10 },
      state,
    } as unknown as ImportJob;
    const row = { line: 1, end: { position: 5, line: 1 }, item: { number: 1 } };
    await expect(importChunk([row], job)).rejects.toBe(unavailable);
    expect(job.state).toEqual(state);
  },
);

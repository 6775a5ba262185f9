/** Responses where the database gave up a statement. */
import { expect, it } from 'vitest';
import { mapError } from '../../../runtime/http/responder.js';

const availability = {
  isLoss: () => false,
  isGivenUp: (error: unknown) => (error as { code?: string }).code === '57014',
  refusalOf: () => null,
  close: () => undefined,
};

const map = (code: string): { readonly answer: unknown; readonly reported: readonly string[] } => {
  const reported: string[] = [];
  const answer = mapError(
    Object.assign(new Error('canceling statement'), { code }),
    { id: 'one', method: 'GET', route: '/items/:collection' },
    { availability, observe: ({ kind }) => void reported.push(kind) },
  );
  return { answer, reported };
};

it('is 503 for the client, and reported to operators', () => {
  expect(map('57014')).toMatchObject({
    answer: { code: 'SERVICE_UNAVAILABLE', details: { service: 'database' } },
    reported: ['requestFailed'],
  });
});

it('is distinguished from other errors', () => {
  expect(map('42601')).toMatchObject({ answer: { code: '42601' }, reported: ['requestFailed'] });
});

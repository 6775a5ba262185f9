/** The context of an operation: `Prefer` and cookies. */
import { expect, it } from 'vitest';
import type { Access } from '../../../runtime/access/access.js';
import { openContext } from '../../../runtime/operations/context.js';
import type { ApiRequest } from '../../../runtime/request/api-request.js';

const open = (headers: ApiRequest['headers']) =>
  openContext(
    { query: '', headers, address: () => '127.0.0.1', isSecure: () => false } as unknown as ApiRequest,
    { access: {} as Access },
  );

it.each([
  ['respond-async', true],
  ['Respond-Async', true],
  ['wait=10, respond-async', true],
  ['respond-async, wait=10', true],
  ['respond-async; wait=10', true],
  ['respond-asynchronously', false],
  ['x-respond-async', false],
  ['return=minimal', false],
  [undefined, false],
])('Prefer: %s asks for a response before the work is done: %s', (prefer, expected) => {
  expect(open({ prefer }).context.prefersAsync).toBe(expected);
});

it('cookies that are set do not replace each other', () => {
  const { context, reply } = open({ cookie: 'a=1; b=2' });
  expect(context.cookies).toMatchObject({ a: '1', b: '2' });
  context.setCookie('c', '3', {});
  context.setCookie('d', '4', { httpOnly: true });
  expect(reply.cookies).toEqual(['c=3', 'd=4; HttpOnly']);
});

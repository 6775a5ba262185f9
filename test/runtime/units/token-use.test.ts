import { expect, it } from 'vitest';
import { createTokenUse } from '../../../runtime/auth/token-use.js';

it('records the use of each user once', () => {
  const noted: string[] = [];
  const use = createTokenUse((user) => noted.push(user));
  for (const id of ['ann', 'ann', 'ben', 'ann']) use({ id });
  expect(noted).toEqual(['ann', 'ben']);
});

it('forgets a user after ten thousand others', () => {
  const noted: string[] = [];
  const use = createTokenUse((user) => noted.push(user));
  for (let id = 0; id < 10_000; id += 1) use({ id: String(id) });
  use({ id: '0' });
  expect(noted).toHaveLength(10_000);
  use({ id: '10000' });
  use({ id: '0' });
  expect(noted.slice(10_000)).toEqual(['10000', '0']);
});

import { expect, it } from 'vitest';
import { createTokenUse } from '../../../runtime/auth/token-use.js';

it('records the use of each user once', () => {
  const noted: string[] = [];
  const use = createTokenUse((user) => noted.push(user));
  for (const id of ['ann', 'ann', 'ben', 'ann']) use({ id });
  expect(noted).toEqual(['ann', 'ben']);
});

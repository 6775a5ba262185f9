/** A caller is identified again while access changes, and refused where that does not end. */
import { expect, it } from 'vitest';
import type { Access } from '../../../runtime/access/access.js';
import { admitNow, identifyNow } from '../../../runtime/access/confirmation.js';
import type { Principal } from '../../../runtime/access/principal.js';
import type { ApiRequest } from '../../../runtime/request/api-request.js';

const request = {} as ApiRequest;

/** Access whose first `stale` principals are out of date when they are confirmed. */
const changing = (stale: number) => {
  const identified: number[] = [];
  const identify = (): Principal => ({ number: identified.push(identified.length) }) as unknown as Principal;
  const access = {
    identify,
    admit: async () => identify(),
    confirm: async () => identified.length > stale,
  } as unknown as Access;
  return { access, identified };
};

const finds = [
  ['identified', (access: Access) => identifyNow(request, access)],
  ['admitted', (access: Access) => admitNow(null, request, access)],
] as const;

it.each(finds)('a caller is %s again until the principal is confirmed', async (_, find) => {
  const { access } = changing(2);
  expect(await find(access)).toEqual({ number: 3 });
});

it.each(finds)('a caller is %s five times at most', async (_, find) => {
  const { access, identified } = changing(5);
  await expect(find(access)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  expect(identified).toHaveLength(5);
});

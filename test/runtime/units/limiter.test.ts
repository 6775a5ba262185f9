/** The number of requests that a client may send within a window, and the time to wait. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { apiError, type ApiError } from '../../../contract/errors.js';
import type { Access } from '../../../runtime/access/access.js';
import type { Principal } from '../../../runtime/access/principal.js';
import {
  limitAccess,
  limitHeaders,
  maxCallers,
  type SharedCounts,
  type WindowCounts,
} from '../../../runtime/access/limiter.js';
import { until } from '../../until.js';
import type { ApiRequest } from '../../../runtime/request/api-request.js';

const now = 1_700_000_000_000;
const duration = 60_000;

beforeEach(() => void vi.useFakeTimers({ now, toFake: ['Date'] }));
afterEach(() => void vi.useRealTimers());

const principal = (id: string | null, admin = false) =>
  ({ user: id === null ? null : { id }, policies: { admin } }) as Principal;

const requestFrom = (address: string) => ({ address: () => address }) as ApiRequest;

const limited = (
  points: number,
  identify: Access['identify'] = () => principal('ann'),
  shared?: SharedCounts,
): Access =>
  limitAccess(
    { identify, admit: async () => principal('ann'), confirm: async () => true },
    { points, duration, ...(shared && { shared }) },
  );

/** Results of consecutive requests: `ok`, or the code of the error. */
const ask = async (access: Access, requests: readonly ApiRequest[]): Promise<string[]> => {
  const ends: string[] = [];
  for (const request of requests) {
    const end = async () => void (await access.identify(request));
    ends.push(
      await end().then(
        () => 'ok',
        (error: ApiError) => error.code,
      ),
    );
  }
  return ends;
};

const times = (count: number, address = '203.0.113.9') =>
  Array.from({ length: count }, () => requestFrom(address));

const exceeded = 'REQUESTS_EXCEEDED';

describe('requests within a window', () => {
  it('are counted anew where the clock is set back', async () => {
    const access = limited(1);
    expect(await ask(access, times(2))).toEqual(['ok', exceeded]);
    vi.setSystemTime(now - 3_600_000);
    expect(await ask(access, times(2))).toEqual(['ok', exceeded]);
    vi.setSystemTime(now - 3_600_000 + duration);
    expect(await ask(access, times(1))).toEqual(['ok']);
  });

  it('are limited, and reset in the next', async () => {
    const access = limited(2);
    expect(await ask(access, times(3))).toEqual(['ok', 'ok', exceeded]);
    vi.setSystemTime(now + duration - 1);
    expect(await ask(access, times(1))).toEqual([exceeded]);
    vi.setSystemTime(now + duration);
    expect(await ask(access, times(3))).toEqual(['ok', 'ok', exceeded]);
  });

  it('are counted once, even if identified several times', async () => {
    const [request] = times(1);
    const access = limited(1);
    expect(await ask(access, [request as ApiRequest, request as ApiRequest])).toEqual(['ok', 'ok']);
    await expect(access.admit(null, requestFrom('203.0.113.9'))).rejects.toMatchObject({ code: exceeded });
  });

  it.each<[string, Access['identify'], string[]]>([
    ['of administrators are not', () => principal('root', true), ['ok', 'ok']],
    ['of nobody are those of an address', () => principal(null), ['ok', exceeded]],
    ['of nobody are, where that is known later', async () => principal(null), ['ok', exceeded]],
    [
      'that are refused are',
      () => {
        throw apiError('INVALID_CREDENTIALS', {});
      },
      ['INVALID_CREDENTIALS', exceeded],
    ],
    [
      'that are refused later are',
      () => Promise.reject(apiError('INVALID_CREDENTIALS', {})),
      ['INVALID_CREDENTIALS', exceeded],
    ],
  ])('counted: %s', async (_, identify, ends) => {
    const access = limited(1, identify);
    expect(await ask(access, times(2))).toEqual(ends);
    expect(await ask(access, times(1, '198.51.100.1'))).toEqual([ends[0]]);
  });

  it('are counted over all processes, whose windows end together', async () => {
    const takes: ((counted: WindowCounts) => void)[] = [];
    const reports: WindowCounts[] = [];
    const [first, second] = [0, 1].map((index) => {
      const shared: SharedCounts = {
        report: (counted) => {
          reports.push(counted);
          takes[1 - index]?.(counted);
        },
        subscribe: (take) => void (takes[index] = take),
      };
      return limited(3, undefined, shared);
    }) as [Access, Access];
    expect(await ask(first, times(2))).toEqual(['ok', 'ok']);
    vi.setSystemTime(now + 1_000);
    expect(await ask(second, times(1))).toEqual(['ok']);
    await until(() => reports.length === 2);
    expect(reports[0]).toEqual({ until: now + duration, counts: [['ann', 2]] });
    expect(await ask(second, times(1))).toEqual([exceeded]);
    expect(await ask(first, times(1))).toEqual([exceeded]);
    vi.setSystemTime(now + duration);
    expect(await ask(second, times(3))).toEqual(['ok', 'ok', 'ok']);
    // what belongs to a window that is over changes nothing
    const over: WindowCounts = { until: now + duration, counts: [['ann', 9]] };
    takes[0]?.(over);
    expect(await ask(first, times(1))).toEqual(['ok']);
    takes[0]?.(over);
    expect(await ask(first, times(3))).toEqual(['ok', 'ok', exceeded]);
  });

  it('of a caller count in a process that the caller has not reached before', async () => {
    const takes: ((counted: WindowCounts) => void)[] = [];
    const access = limited(3, undefined, {
      report: () => undefined,
      subscribe: (take) => void takes.push(take),
    });
    takes[0]?.({ until: now + duration, counts: [['ann', 3]] });
    expect(await ask(access, times(1))).toEqual([exceeded]);
  });

  it('are reported as none where their window ends before the report', async () => {
    const reports: WindowCounts[] = [];
    const callers = ['ann', 'ben'];
    const access = limited(3, () => principal(callers.shift() ?? 'ann'), {
      report: (counted) => void reports.push(counted),
      subscribe: () => undefined,
    });
    await ask(access, times(1));
    vi.setSystemTime(now + duration);
    await ask(access, times(1));
    await until(() => reports.length > 0);
    const counts = [
      ['ann', 0],
      ['ben', 1],
    ];
    expect(reports).toEqual([{ until: now + 2 * duration, counts }]);
  });

  it('are forgotten where too many others call, however large the window', async () => {
    let caller = 'ann';
    const access = limited(1, () => principal(caller));
    const [request] = times(1);
    const call = (id: string) => {
      caller = id;
      return access.identify({ ...request } as ApiRequest);
    };
    await call('ann');
    expect(() => call('ann')).toThrow(expect.objectContaining({ code: exceeded }));
    for (let each = 1; each < maxCallers; each += 1) await call(`caller ${each}`);
    expect(() => call('ann')).toThrow(expect.objectContaining({ code: exceeded }));
    for (let each = 1; each <= maxCallers; each += 1) await call(`late caller ${each}`);
    await call('ann');
  });

  it('name the limit that was exceeded', async () => {
    const refused = limited(0).admit(null, requestFrom('203.0.113.9'));
    await expect(refused).rejects.toThrow('more than 0 requests in 60 s');
  });

  it('return the time of the next window', async () => {
    vi.setSystemTime(now);
    const access = limited(0);
    const error = await access
      .admit(null, requestFrom('203.0.113.9'))
      .catch((each: unknown) => each as ApiError);
    vi.setSystemTime(now + 500);
    expect(limitHeaders(error as ApiError)).toEqual({
      'retry-after': '60',
      ratelimit: '"default";r=0;t=60',
      'ratelimit-policy': '"default";q=0',
    });
    vi.setSystemTime(now + 2 * duration);
    expect(limitHeaders(error as ApiError)['retry-after']).toBe('1');
  });

  it('return no time for a limit that is not one of time', () => {
    expect(limitHeaders(apiError('REQUESTS_EXCEEDED', {}) as ApiError)).toEqual({});
  });
});

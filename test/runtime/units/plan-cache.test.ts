/** Plans are kept by policies, collection, use and shape, and not without end. */
import { describe, expect, it } from 'vitest';
import type { Collection } from '../../../contract/collection.js';
import type { ItemContext } from '../../../runtime/items/context.js';
import { cachePlan } from '../../../runtime/items/plans.js';

const book = { name: 'book' } as Collection;
const limits = { name: 'limits' };
const publicLimits = { name: 'public limits' };

const createCaller = (user: object | null = {}, cache = new Map()): ItemContext =>
  ({
    principal: { user, policies: { cache } },
    limits,
    publicLimits,
    observe: () => undefined,
  }) as unknown as ItemContext;

const createPlans = () => {
  const made: string[] = [];
  const get = (context: ItemContext, shape: string, { collection = book, use = 'list' } = {}) =>
    cachePlan(context, { collection, use, shape }, () => {
      made.push(`${collection.name} ${use} ${shape}`);
      return { shape };
    });
  return { made, get };
};

describe('a plan', () => {
  it('is created once', () => {
    const { made, get } = createPlans();
    const caller = createCaller();
    expect(get(caller, 'a')).toBe(get(caller, 'a'));
    expect(made).toEqual(['book list a']);
  });

  it('is separate for collection, use, policies and limits', () => {
    const { made, get } = createPlans();
    const cache = new Map();
    get(createCaller({}, cache), 'a');
    get(createCaller({}, cache), 'b');
    get(createCaller({}, cache), 'a', { use: 'item' });
    get(createCaller({}, cache), 'a', { collection: { name: 'author' } as Collection });
    get(createCaller({}), 'a');
    get(createCaller(null, cache), 'a');
    expect(made).toHaveLength(6);
  });

  it('is evicted after five hundred others', () => {
    const { made, get } = createPlans();
    const caller = createCaller();
    for (let each = 0; each < 500; each += 1) get(caller, `${each}`);
    get(caller, '0');
    expect(made).toHaveLength(500);
    get(caller, '500');
    get(caller, '1');
    expect(made).toHaveLength(501);
    get(caller, '0');
    expect(made).toHaveLength(502);
  });

  it('that fails is created again', () => {
    const { get } = createPlans();
    const caller = createCaller();
    const fail = () =>
      cachePlan(caller, { collection: book, use: 'list', shape: 'a' }, () => {
        throw new Error('no plan');
      });
    expect(fail).toThrow('no plan');
    expect(get(caller, 'a')).toEqual({ shape: 'a' });
  });
});

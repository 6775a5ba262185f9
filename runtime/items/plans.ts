/** Caches plans per policy set, collection, use and query shape. */
import type { Collection } from '../../contract/collection.js';
import { findOrCreate } from '../concurrency/bounded-map.js';
import type { ItemContext } from './context.js';
import { limitsOf } from './context.js';

interface PlanKey {
  readonly collection: Collection;
  /** Purpose of the plan, such as `list`. */
  readonly use: string;
  readonly shape: string;
}

/** Maximum number of plans per collection and use; the oldest is evicted. */
const maxPlans = 500;

/** Plans by collection, use and shape; nested maps, as concatenated keys could collide. */
type Plans = Map<Collection, Map<string, Map<string, unknown>>>;

/** Returns the plan of a key, created on first use; errors are not cached. */
export const cachePlan = <Plan>(
  context: ItemContext,
  { collection, use, shape }: PlanKey,
  create: () => Plan,
): Plan => {
  const { cache } = context.principal.policies;
  const limits = limitsOf(context);
  let byCollection = cache.get(limits) as Plans | undefined;
  if (byCollection === undefined) cache.set(limits, (byCollection = new Map()));
  let byUse = byCollection.get(collection);
  if (byUse === undefined) byCollection.set(collection, (byUse = new Map()));
  let plans = byUse.get(use);
  if (plans === undefined) byUse.set(use, (plans = new Map()));
  return findOrCreate(plans as Map<string, Plan>, { key: shape, maximum: maxPlans }, () => {
    const created = create();
    context.observe({ kind: 'planCreated', use });
    return created;
  });
};

/** What is compiled once per shape, policy set, collection and use. */
import type { Collection } from '../../contract/collection.js';
import type { ItemContext } from './context.js';
import { limitsOf } from './context.js';

interface PlanKey {
  readonly collection: Collection;
  /** What it is for: `list`. */
  readonly use: string;
  readonly shape: string;
}

/** Per collection and use; the oldest goes. */
const maxPlans = 500;

/** By collection, use and shape: texts that are joined may look alike, whatever tables are called. */
type Plans = Map<Collection, Map<string, Map<string, unknown>>>;

/** The plan of that key, made on first use. Errors are not kept. */
export const remember = <Plan>(
  context: ItemContext,
  { collection, use, shape }: PlanKey,
  make: () => Plan,
): Plan => {
  const { cache } = context.principal.policies;
  const limits = limitsOf(context);
  let byCollection = cache.get(limits) as Plans | undefined;
  if (byCollection === undefined) cache.set(limits, (byCollection = new Map()));
  let byUse = byCollection.get(collection);
  if (byUse === undefined) byCollection.set(collection, (byUse = new Map()));
  let plans = byUse.get(use);
  if (plans === undefined) byUse.set(use, (plans = new Map()));
  const present = plans.get(shape) as Plan | undefined;
  if (present !== undefined) return present;
  const made = make();
  const [oldest] = plans.keys();
  if (plans.size >= maxPlans && oldest !== undefined) plans.delete(oldest);
  plans.set(shape, made);
  return made;
};

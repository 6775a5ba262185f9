/** What is compiled once per shape, policy set and use. */
import type { ItemContext } from './context.js';
import { limitsOf } from './context.js';

interface PlanKey {
  /** What it is for, with the collection's name: `list Album`. */
  readonly use: string;
  readonly shape: string;
}

/** Per use; the oldest goes. */
const maxPlans = 500;

type Plans = Map<string, Map<string, unknown>>;

/** The plan of that key, made on first use. Errors are not kept. */
export const remember = <Plan>(context: ItemContext, { use, shape }: PlanKey, make: () => Plan): Plan => {
  const { cache } = context.principal.policies;
  const limits = limitsOf(context);
  let byUse = cache.get(limits) as Plans | undefined;
  if (byUse === undefined) cache.set(limits, (byUse = new Map()));
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

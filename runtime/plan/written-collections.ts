/** The collections that a plan of a write may change. */
import type { Collection } from '../../contract/collection.js';
import { isRefusal } from './problem-collection.js';
import type { CreatePlan, ListPlan, ListRow, Refusal, UpdatePlan } from './write-plan.js';

/** Returns the collections of plans and of everything below them. */
export const writtenCollections = (
  plans: readonly (WrittenPlan | Refusal | null)[],
): ReadonlySet<Collection> => {
  const found = new Set<Collection>();
  addPlans(plans, found);
  return found;
};

export type WrittenPlan = Pick<CreatePlan<ListRow> | UpdatePlan<ListRow>, 'collection' | 'parents' | 'lists'>;

const addPlan = ({ collection, parents, lists }: WrittenPlan, found: Set<Collection>): void => {
  found.add(collection);
  for (const { update, create } of parents) addPlans([update, create], found);
  for (const list of lists) addList(list, found);
};

const addList = ({ relation, creates, updates }: ListPlan, found: Set<Collection>): void => {
  found.add(relation.collection);
  if (creates !== null) addPlan(creates, found);
  for (const { update, move, create } of updates) addPlans([update, move, create], found);
};

const addPlans = (plans: readonly (WrittenPlan | Refusal | null)[], found: Set<Collection>): void => {
  for (const plan of plans) if (plan !== null && !isRefusal(plan)) addPlan(plan, found);
};

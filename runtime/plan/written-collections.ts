/** The collections that a plan of a write may change. */
import type { Collection } from '../../contract/collection.js';
import { isRefusal } from './problem-collection.js';
import type { CreatePlan, ListPlan, ListRow, Refusal, UpdatePlan } from './write-plan.js';

/** Returns the collections of a plan and of everything below it. */
export const writtenCollections = (plan: AnyPlan): ReadonlySet<Collection> => {
  const found = new Set<Collection>();
  addPlan(plan, found);
  return found;
};

type AnyPlan = Pick<CreatePlan<ListRow> | UpdatePlan<ListRow>, 'collection' | 'parents' | 'lists'>;

const addPlan = ({ collection, parents, lists }: AnyPlan, found: Set<Collection>): void => {
  found.add(collection);
  for (const { update, create } of parents) addPlans([update, create], found);
  for (const list of lists) addList(list, found);
};

const addList = ({ relation, creates, updates }: ListPlan, found: Set<Collection>): void => {
  found.add(relation.collection);
  if (creates !== null) addPlan(creates, found);
  for (const { update, move, create } of updates) addPlans([update, move, create], found);
};

const addPlans = (plans: readonly (AnyPlan | Refusal | null)[], found: Set<Collection>): void => {
  for (const plan of plans) if (plan !== null && !isRefusal(plan)) addPlan(plan, found);
};

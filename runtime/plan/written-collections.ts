/** The collections that a plan of a write may change. */
import type { Collection } from '../../contract/collection.js';
import type { CreatePlan, ListPlan, ListRow, UpdatePlan } from './write-plan.js';

/** Returns the collections of a plan and of everything below it. */
export const writtenCollections = (plan: AnyPlan): ReadonlySet<Collection> => {
  const found = new Set<Collection>();
  addPlan(plan, found);
  return found;
};

type AnyPlan = Pick<CreatePlan<ListRow> | UpdatePlan<ListRow>, 'collection' | 'lists'>;

const addPlan = ({ collection, lists }: AnyPlan, found: Set<Collection>): void => {
  found.add(collection);
  for (const list of lists) addList(list, found);
};

const addList = ({ relation, creates, updates }: ListPlan, found: Set<Collection>): void => {
  found.add(relation.collection);
  if (creates !== null) addPlan(creates, found);
  for (const { update, move, create } of updates)
    for (const plan of [update, move, create]) if (plan !== null && 'lists' in plan) addPlan(plan, found);
};

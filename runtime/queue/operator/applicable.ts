/** Finds the requests to which an action of operators applies. */
import type { BulkAction } from '../store/operator-actions.js';
import type { RequestSearch } from '../store/operator-search.js';
import type { RequestState } from '../store/request-head.js';

/** Milliseconds that a search without a lower bound reaches back. */
const defaultRange = 7 * 86_400_000;

/** States of the requests that an action can meet. */
const statesOf: Readonly<Record<BulkAction, readonly RequestState[]>> = {
  cancel: ['waiting', 'admitted', 'running'],
  retry: ['ended'],
  redeliver: ['ended'],
  release: ['waiting'],
};

/** Restricts a search to what the action can meet, and to requests that exist when it begins. */
export const applicableSearch = (action: BulkAction, search: RequestSearch): RequestSearch => {
  const possible = statesOf[action];
  const states =
    search.states === undefined ? possible : possible.filter((each) => search.states?.includes(each));
  const isOpen = search.ids === undefined && search.after === undefined;
  return {
    before: Date.now() + 1,
    ...search,
    states: states.length === 0 ? ['none' as RequestState] : states,
    ...(isOpen && { after: Date.now() - defaultRange }),
    ...(action === 'redeliver' &&
      search.ids === undefined && { deliveryState: search.deliveryState ?? 'failed' }),
  };
};

/** Finds the requests to which an action of operators applies. */
import type { BulkAction } from '../store/operator-actions.js';
import type { RequestSearch } from '../store/operator-search.js';
import type { RequestState } from '../store/request-head.js';

/** Milliseconds that a search without a lower bound covers, until its upper bound. */
const defaultRange = 7 * 86_400_000;

/** States of the requests that an action can apply to. */
const statesOf: Readonly<Record<BulkAction, readonly RequestState[]>> = {
  cancel: ['waiting', 'admitted', 'running'],
  retry: ['ended'],
  redeliver: ['ended'],
  release: ['waiting'],
};

/** Restricts a search to what the action can apply to, and to requests that exist when it begins. */
export const applicableSearch = (action: BulkAction, search: RequestSearch): RequestSearch => {
  const possible = statesOf[action];
  const states =
    search.states === undefined ? possible : possible.filter((each) => search.states?.includes(each));
  const hasNoLowerBound = search.ids === undefined && search.after === undefined;
  const before = Math.min(search.before ?? Infinity, Date.now() + 1);
  return {
    ...search,
    before,
    // matches nothing: `in ()` is not valid SQL
    states: states.length === 0 ? ['none' as RequestState] : states,
    ...(hasNoLowerBound && { after: before - defaultRange }),
    // ids name requests on purpose, so only a filter is limited to failed webhooks
    ...(action === 'redeliver' &&
      search.ids === undefined && { deliveryState: search.deliveryState ?? 'failed' }),
  };
};

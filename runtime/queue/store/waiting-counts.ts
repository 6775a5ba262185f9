/** Counts waiting requests, each up to a bound: what a count reads does not grow with the queue. */
import type { BindValue } from '../../databases/contract.js';
import { powerOfTwo, type Statements } from '../../execute/system-rows.js';
import type { RequestHead } from './request-head.js';

/** Greatest position in an answer; it means that at least so many requests are ahead. */
export const maxPosition = 1_000;

/** Counts the waiting requests ahead of a request, at most `maxPosition`. */
export const countAhead = (
  statements: Statements,
  { id, model, priority, created }: Pick<RequestHead, 'id' | 'model' | 'priority' | 'created'>,
): Promise<number> =>
  countRanges(statements, maxPosition, [
    { test: 'model = ? and priority > ?', values: [model, priority] },
    { test: 'model = ? and priority = ? and date_created < ?', values: [model, priority, created] },
    {
      test: 'model = ? and priority = ? and date_created = ? and id < ?',
      values: [model, priority, created, id],
    },
  ]);

/** Counts the waiting requests of a model of a priority and those above, at most `limit`. */
export const countFromPriority = (
  statements: Statements,
  { model, priority }: Pick<RequestHead, 'model' | 'priority'>,
  limit: number,
): Promise<number> =>
  countRanges(statements, limit, [{ test: 'model = ? and priority >= ?', values: [model, priority] }]);

/** Counts the waiting requests of a model over all accounts, at most `limit`. */
export const countWaiting = (statements: Statements, model: string, limit: number): Promise<number> =>
  countRanges(statements, limit, [{ test: 'model = ?', values: [model] }]);

interface Range {
  readonly test: string;
  readonly values: readonly BindValue[];
}

/** Counts the rows of ranges of the index (state, model, priority, date_created) that do not overlap. */
const countRanges = async (
  statements: Statements,
  limit: number,
  ranges: readonly Range[],
): Promise<number> => {
  const size = powerOfTwo(limit);
  const some = ranges.map(
    ({ test }, at) =>
      `select one from (select 1 as one from svc_requests where state = 'waiting' and ${test} limit ${size}) range_${at}`,
  );
  const [row] = await statements.query(
    `select count(*) as found from (${some.join(' union all ')}) ranges`,
    ranges.flatMap(({ values }) => values),
  );
  return Math.min(limit, Number(row?.found ?? 0));
};

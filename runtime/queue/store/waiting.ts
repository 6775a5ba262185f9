/** Counts waiting requests. */
import type { Statements } from '../../execute/system-rows.js';
import type { RequestHead } from './request-head.js';

/** Counts the waiting requests ahead of a request. */
export const countAhead = async (
  statements: Statements,
  { id, model, priority, created }: Pick<RequestHead, 'id' | 'model' | 'priority' | 'created'>,
): Promise<number> => {
  const [row] = await statements.query(
    "select count(*) as before_it from svc_requests where state = 'waiting' and model = ? and " +
      '(priority > ? or (priority = ? and (date_created < ? or (date_created = ? and id < ?))))',
    [model, priority, priority, created, created, id],
  );
  return Number(row?.before_it ?? 0);
};

/** Counts the waiting requests of a model by priority. */
export const countWaitingByPriority = async (
  statements: Statements,
  model: string,
): Promise<Map<number, number>> => {
  const rows = await statements.query(
    "select priority, count(*) as waiting from svc_requests where state = 'waiting' and model = ? group by priority",
    [model],
  );
  return new Map(rows.map((row) => [Number(row.priority), Number(row.waiting)]));
};

/** Counts the waiting requests of a model over all accounts. */
export const countWaiting = async (statements: Statements, model: string): Promise<number> => {
  const [row] = await statements.query(
    "select count(*) as waiting from svc_requests where state = 'waiting' and model = ?",
    [model],
  );
  return Number(row?.waiting ?? 0);
};

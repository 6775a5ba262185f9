/** What is removed when its time is over. In portions, so that no statement holds much for long. */
import type { Statements } from './rows.js';
import { listOf } from './rows.js';

interface Limits {
  /** Milliseconds since 1970: what ended before goes. */
  readonly before: number;
  readonly now: number;
}

const portion = 200;

/** How long after the end a request that is not to be stored can still be read. */
const briefly = 600_000;

/** @returns requests that were removed */
export const expire = async (statements: Statements, { before, now }: Limits): Promise<number> => {
  await forgetBodies(statements, now - briefly);
  let removed = 0;
  for (;;) {
    const rows = await statements.query(
      `select id from svc_requests where state = 'ended' and date_ended < ? order by date_ended limit ${portion}`,
      [before],
    );
    if (rows.length > 0)
      await removeRequests(
        statements,
        rows.map((row) => String(row.id)),
      );
    removed += rows.length;
    if (rows.length < portion) break;
  }
  await statements.write({ text: 'delete from svc_idempotency where date_created < ?', values: [before] });
  await statements.write({
    text: 'delete from svc_deliveries where request is null and date_created < ?',
    values: [before],
  });
  return removed;
};

const forgetBodies = async (statements: Statements, before: number): Promise<void> => {
  await statements.write({
    text:
      'update svc_requests set input = null, output = null where store_io = 0 and output is not null and ' +
      "state = 'ended' and date_ended < ? and not exists (select 1 from svc_deliveries " +
      "where svc_deliveries.request = svc_requests.id and svc_deliveries.state = 'pending')",
    values: [before],
  });
};

const removeRequests = async (statements: Statements, ids: readonly string[]): Promise<void> => {
  const { places, values } = listOf(ids);
  for (const [table, column] of [
    ['svc_request_logs', 'request'],
    ['svc_deliveries', 'request'],
    ['svc_requests', 'id'],
  ]) {
    await statements.write({ text: `delete from ${table} where ${column} in (${places})`, values });
  }
};

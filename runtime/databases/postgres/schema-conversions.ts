/** Counts the values that a conversion of their column would stop at. */
import type { ConvertedValues, Executor } from '../contract.js';
import { printCast } from './schema-columns.js';
import { printType } from './schema-types.js';

/** Converts each value by a function of this connection, which is gone afterwards. */
export const countInconvertible = async (
  { table, column, old, wanted }: ConvertedValues,
  executor: Executor,
): Promise<number> => {
  const parameter = `value ${printType(old)}`;
  const cast = printCast('value', old, wanted);
  await executor.query(
    `create function pg_temp.svc_converts(${parameter}) returns boolean language plpgsql as $do$
    begin perform ${cast}; return true; exception when others then return false; end $do$`,
  );
  const [row] = await executor.query(
    `select count(*) as n from ${table} where ${column} is not null and not pg_temp.svc_converts(${column})`,
  );
  await executor.query('drop function pg_temp.svc_converts');
  return Number(row?.n ?? 0);
};

/** Tries conversions of values on a copy of them. */
import type { ConvertedValues, Executor } from '../contract.js';
import { isRefusedValue } from './errors.js';
import { quote } from './quoting.js';
import { printType } from './schema-types.js';

const scratch = quote('svc_scratch_values');

/**
 * Returns 1 where a value cannot be converted: the server stops at the first of them.
 * @throws every other error, such as a limit of time
 */
export const countInconvertible = async (
  { table, column, wanted }: ConvertedValues,
  executor: Executor,
): Promise<number> => {
  await executor.query(`create temporary table ${scratch} (value ${printType(wanted)} null)`);
  try {
    await executor.write({ text: `insert into ${scratch} select ${column} from ${table}`, values: [] });
    return 0;
  } catch (error) {
    if (!isRefusedValue(error)) throw error;
    return 1;
  } finally {
    await executor.query(`drop temporary table ${scratch}`);
  }
};

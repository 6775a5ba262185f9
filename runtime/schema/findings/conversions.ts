/** Finds values that do not convert to a new type, which a database reports only in the middle of an apply. */
import type { Executor } from '../../databases/contract.js';
import type { TableShape } from '../shapes.js';
import { isConverted } from './columns.js';
import { quoteColumn, quoteTable, type Finding, type FindingContext } from './finding.js';

/** Converts copies of the values in a temporary table. */
export const findInconvertible = async (
  before: readonly TableShape[],
  after: readonly TableShape[],
  context: FindingContext & { readonly executor: Executor },
): Promise<readonly Finding[]> => {
  const old = new Map(before.map((table) => [table.name, table]));
  const findings: Finding[] = [];
  for (const { name: table, columns } of after) {
    for (const column of columns) {
      const present = old.get(table)?.columns.find(({ name }) => name === column.name);
      if (present === undefined || column.generated !== null || present.generated !== null) continue;
      if (!isConverted(present, column, context.printer)) continue;
      const values = `select ${quoteColumn(table, column.name, context)} from ${quoteTable(table, context)}`;
      if (await converts(values, context.printer.printType(column), context.executor)) continue;
      const message = `"${table}.${column.name}" holds values that cannot be converted to ${column.dataType}`;
      findings.push({ kind: 'inconvertible', collection: table, fields: [column.name], rows: 1, message });
    }
  }
  return findings;
};

const converts = async (values: string, type: string, executor: Executor): Promise<boolean> => {
  const scratch = executor.quote('svc_scratch_values');
  await executor.query(`create temporary table ${scratch} (value ${type} null)`);
  try {
    await executor.write({ text: `insert into ${scratch} ${values}`, values: [] });
    return true;
  } catch {
    return false;
  } finally {
    await executor.query(`drop temporary table ${scratch}`);
  }
};

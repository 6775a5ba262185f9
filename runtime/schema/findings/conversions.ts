/** Finds values that do not convert to a new type, which a database reports only in the middle of an apply. */
import type { Executor } from '../../databases/contract.js';
import type { TableShape } from '../shapes.js';
import { isConverted } from './type-changes.js';
import { ask, quoteColumn, quoteTable, type Finding, type FindingContext } from './finding.js';

/** Converts copies of the values. @param context `executor` is one connection, in a transaction */
export const findInconvertible = async (
  before: readonly TableShape[],
  after: readonly TableShape[],
  context: FindingContext & { readonly executor: Executor },
): Promise<readonly Finding[]> => {
  const { executor, printer } = context;
  const old = new Map(before.map((table) => [table.name, table]));
  const findings: Finding[] = [];
  for (const { name, columns } of after) {
    for (const wanted of columns) {
      const present = old.get(name)?.columns.find((column) => column.name === wanted.name);
      if (present === undefined || wanted.generated !== null || present.generated !== null) continue;
      if (!isConverted(present, wanted, printer)) continue;
      const [table, column] = [quoteTable(name, context), quoteColumn(name, wanted.name, context)];
      const values = { table, column, old: present, wanted };
      const problem = `the database cannot convert the values of "${name}.${wanted.name}" to ${wanted.dataType}`;
      const rows = await ask(
        async () => (await printer.countInconvertible?.(values, executor)) ?? 0,
        problem,
        context,
      );
      if (rows === 0) continue;
      const message = `"${name}.${wanted.name}" holds values that cannot be converted to ${wanted.dataType}`;
      findings.push({ kind: 'inconvertible', collection: name, fields: [wanted.name], rows, message });
    }
  }
  return findings;
};

/** Finds rows that a new check does not allow. */
import { printExpression } from '../expressions/print.js';
import { columnsIn, renameColumns } from '../expressions/tree.js';
import { printCounted } from '../row-counts.js';
import type { SchemaPrinter } from '../../databases/contract.js';
import type { ColumnShape, TableShape } from '../shapes.js';
import { countRows, type Finding, type FindingContext } from './finding.js';

/** An enum that tables share is another type with other labels, which a condition may name. */
const createTypeOf =
  ({ changeTypes }: SchemaPrinter) =>
  (column: ColumnShape | undefined): string =>
    JSON.stringify([column?.dataType, ...(changeTypes === undefined ? [] : [column?.values])]);

/**
 * Returns a finding for each new check that stored rows violate, with the number of rows. Checks that are
 * there already are not run.
 */
export const findInChecks = async (
  table: TableShape,
  present: TableShape,
  context: FindingContext,
): Promise<readonly Finding[]> => {
  const known = new Set(
    present.checks
      .filter(({ enforced }) => enforced !== false)
      .map(({ expression }) => JSON.stringify(expression)),
  );
  const typeOf = createTypeOf(context.printer);
  const types = new Map(present.columns.map((column) => [column.name, typeOf(column)]));
  const findings: Finding[] = [];
  for (const { name, expression, enforced } of table.checks) {
    if (expression.kind === 'raw' || enforced === false || known.has(JSON.stringify(expression))) continue;
    const named = columnsIn(expression.tree);
    // values that the same diff makes or converts are not there yet
    const isKnown = named.every(
      (column) =>
        types.has(column) && types.get(column) === typeOf(table.columns.find((each) => each.name === column)),
    );
    if (!isKnown) continue;
    const former = new Map(named.map((column) => [column, context.names.column(table.name, column)]));
    const sql = printExpression(renameColumns(expression.tree, former), context.printer.expressions);
    const problem =
      `the database cannot evaluate the check "${name}" for the rows of "${table.name}"; ` +
      `its operators must fit the types and the values of ${named.join(', ')}`;
    const count = await countRows({ table: table.name, condition: `not (${sql})` }, problem, context);
    const message = `"${table.name}": ${printCounted(count, 'row does', 'rows do')} not meet the check "${name}"`;
    if (count.rows > 0)
      findings.push({ kind: 'violations', collection: table.name, fields: named, ...count, message });
  }
  return findings;
};

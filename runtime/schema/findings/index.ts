/** Asks the data what a change of its tables would lose or break, before anything is changed. */
import { apiError, invalidPayload, type ApiError } from '../../../contract/errors.js';
import type { Renames } from '../diff/renames.js';
import type { TableShape } from '../shapes.js';
import { findInChecks } from './checks.js';
import { findInColumns } from './columns.js';
import { findingKinds, type Finding, type FindingContext, type FormerNames } from './finding.js';
import { findDuplicates, findOrphans } from './keys.js';

export { findInconvertible } from './conversions.js';
export type { Finding } from './finding.js';

/** Returns what the data says about a change. @param before the tables with their new names */
export const findInData = async (
  before: readonly TableShape[],
  after: readonly TableShape[],
  context: FindingContext,
): Promise<readonly Finding[]> => {
  const [old, wanted] = [byName(before), byName(after)];
  const findings: Finding[] = [];
  for (const table of after) {
    const present = old.get(table.name);
    if (present === undefined || JSON.stringify(present) === JSON.stringify(table)) continue;
    findings.push(
      ...(await findInColumns(table, present, context)),
      ...(await findDuplicates(table, present, context)),
      ...(await findInChecks(table, present, context)),
    );
  }
  findings.push(...(await findOrphans({ before: old, after: wanted }, context)));
  return findings;
};

const byName = (tables: readonly TableShape[]): ReadonlyMap<string, TableShape> =>
  new Map(tables.map((table) => [table.name, table]));

/** Returns the names that renames begin with. */
export const formerNames = ({ collections, fields }: Renames): FormerNames => ({
  table: (name) => collections.get(name) ?? name,
  column: (table, name) => fields.get(`${table}\0${name}`) ?? name,
});

/** Returns why an apply is refused. @param acceptLoss whether values may be shortened or converted */
export const findingsToProblems = (
  findings: readonly Finding[],
  { acceptLoss }: { readonly acceptLoss: boolean },
): readonly ApiError[] =>
  findings
    .filter(({ kind }) => !(acceptLoss && findingKinds[kind].lossy))
    .map(({ kind, collection, fields, message }) => {
      if (kind === 'nulls') return apiError('CONTAINS_NULL_VALUES', { collection, field: fields.join() });
      const remedy = findingKinds[kind].lossy ? '; send accept_loss: true to apply it all the same' : '';
      return invalidPayload(`${message}${remedy}`);
    });

/** The safer way to a change, where there is one. Pure. */
import type { Finding } from '../findings/index.js';
import type { Cost, TableChange } from './table-changes.js';

export interface Situation {
  readonly cost: Cost;
  /** Rows of the table. */
  readonly rows: number;
  /** Findings in the data about the fields of the change. */
  readonly findings: readonly Finding[];
}

/** Number of rows from which work that grows with them is worth avoiding. */
const many = 100_000;

const byFinding: Readonly<Partial<Record<Finding['kind'], string>>> = {
  nulls: 'Give the rows without a value one first, or let the field be null.',
  missing_values: 'Give the field a default, or add it as one that may be null and fill it first.',
  out_of_range: 'Correct the values first, or choose a wider type.',
  not_in_enum: 'Change the rows to values that stay first.',
  duplicates: 'Make the values unique first.',
  orphans: 'Set the keys to null or delete the rows first.',
  violations: 'Correct the rows first, or allow their values in the check.',
  too_long: 'Shorten the values first, or keep the length.',
  may_change: 'Add a field of the new type, fill it, have clients use it, and drop the old one later.',
  inconvertible: 'Correct the values first; those that are there cannot be converted.',
  may_not_fit: 'Correct the values first, or keep the type.',
};

const byKind: Readonly<Partial<Record<TableChange['kind'], string>>> = {
  'drop collection': 'Have clients stop using it first, and keep a backup: its rows cannot be restored.',
  'drop field': 'Have clients stop using it first, and keep a backup: its values cannot be restored.',
  'rename collection':
    'Clients that use the old name fail at once; change them together, or serve both for a while by a view.',
  'rename field':
    'Clients that use the old name fail at once; to serve both, add a field, fill it, and drop the old one later.',
};

/** Returns one sentence, or null where there is nothing better. */
export const advise = (change: TableChange, { cost, rows, findings }: Situation): string | null => {
  for (const { kind } of findings) {
    const found = byFinding[kind];
    if (found !== undefined) return found;
  }
  const known = byKind[change.kind];
  if (known !== undefined) return known;
  if (rows < many || cost.work === 'none' || cost.blocks === 'nothing') return null;
  if (change.kind === 'add index' || change.kind === 'add unique')
    return 'Build the index by SQL without blocking writes, then apply; the diff will not contain it any more.';
  if (change.kind === 'change field')
    return 'Add a field of the new type, fill it in small batches, have clients use it, and drop the old one later.';
  return `Apply at a quiet time: ${cost.blocks === 'everything' ? 'reads and writes wait' : 'writes wait'} until every row is done.`;
};

/** Locks and work of SQLite for a change: the file has one lock for writers, and readers go on. */
import type { Cost, TableChange } from '../../schema/explain/table-changes.js';

const cost = (algorithm: string, work: Cost['work']): Cost => ({
  algorithm,
  lock: 'RESERVED',
  blocks: 'writes',
  work,
});

/**
 * Estimates the cost of a change of a table.
 * @param isRebuilt whether the change needs a new table that takes the rows
 */
export const costOf = (change: TableChange, isRebuilt: boolean): Cost => {
  switch (change.kind) {
    case 'add collection':
    case 'drop collection':
    case 'rename collection':
    case 'rename field':
    case 'drop index':
      return cost('schema', 'none');
    case 'add index':
      return cost('index build', 'index');
    default:
      return isRebuilt ? cost('new table', 'rewrite') : cost('schema', 'none');
  }
};

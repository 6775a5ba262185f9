/** Finds conditions and reads that need only the rows they name. Pure. */
import type { Condition, Entry, ReadPlan, Select } from './types.js';

/**
 * Returns whether a condition uses only columns of the row itself: some databases cannot read the table that
 * they write.
 */
export const usesOwnRowOnly = (where: Condition): boolean => {
  switch (where.kind) {
    case 'true':
    case 'false':
      return true;
    case 'and':
    case 'or':
      return where.conditions.every(usesOwnRowOnly);
    case 'not':
      return usesOwnRowOnly(where.condition);
    case 'compare':
    case 'null':
    case 'empty':
      return where.column.path.length === 0;
    case 'at':
    case 'some':
      return false;
  }
};

/** Returns whether a read, without its nested lists, finds its row and the rows that it refers to by key. */
export const readsByKey = ({ byKey, where, select }: ReadPlan): boolean =>
  byKey === true && usesOwnRowOnly(where) && selectsByKey(select);

const selectsByKey = (select: Select): boolean =>
  select.kind === 'key' ? isOwnRule(select.rule) : select.entries.every(isByKey);

const isByKey = (entry: Entry): boolean => {
  switch (entry.kind) {
    case 'constant':
      return true;
    case 'group':
      return selectsByKey(entry.select);
    case 'one': {
      const { join, where, select } = entry;
      return (
        isOwnRule(join.rule) && usesOwnRowOnly(join.where) && usesOwnRowOnly(where) && selectsByKey(select)
      );
    }
    case 'field':
    case 'many':
    case 'groups':
    case 'any':
      return isOwnRule(entry.rule);
  }
};

const isOwnRule = (rule: Condition | null): boolean => rule === null || usesOwnRowOnly(rule);

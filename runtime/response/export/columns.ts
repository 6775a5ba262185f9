/** Facts of a plan that CSV needs: how columns are printed, and whether items differ in their columns. */
import type { AggregatePlan, OutputEntry } from '../../plan/aggregate.js';
import type { CsvFields } from './csv.js';
import type { Field } from '../../../contract/collection.js';
import { isMasked } from '../../../contract/fields.js';
import type { ReadPlan, Select } from '../../plan/types.js';

export interface CsvShape extends CsvFields {
  /** True where the columns of an item depend on its values: those of JSON, and of objects that may be null or of several collections. */
  readonly isOpen: boolean;
}

/** Returns the facts, by the paths that columns have. */
export const csvShapeOf = (plan: ReadPlan | AggregatePlan): CsvShape => {
  const shape = { digits: new Set<string>(), wholes: new Set<string>(), isOpen: false };
  if ('select' in plan) addSelect(plan.select, '', shape);
  else addOutputs(plan.shape, '', { ...shape, plan });
  return shape;
};

interface Found {
  readonly digits: Set<string>;
  readonly wholes: Set<string>;
  isOpen: boolean;
}

const isDigits = (field: Field): boolean =>
  (field.type === 'bigInteger' || field.type === 'decimal') && !isMasked(field);

const addSelect = (select: Select, prefix: string, found: Found): void => {
  if (select.kind !== 'object') return;
  for (const entry of select.entries) {
    const path = prefix + entry.name;
    if (entry.kind === 'field') {
      if (isDigits(entry.field)) found.digits.add(path);
      if (entry.field.type === 'geometry') found.wholes.add(path);
      if (entry.field.type === 'json' || entry.field.type === 'unknown') found.isOpen = true;
    } else if (entry.kind === 'one') {
      found.isOpen = true;
      addSelect(entry.select, `${path}.`, found);
    } else if (entry.kind === 'any') {
      found.isOpen = true;
      for (const { plan } of entry.targets) addSelect(plan.select, `${path}.`, found);
    } else if (entry.kind === 'group') addSelect(entry.select, `${path}.`, found);
  }
};

const addOutputs = (
  entries: readonly OutputEntry[],
  prefix: string,
  { digits, plan }: Pick<Found, 'digits'> & { readonly plan: AggregatePlan },
): void => {
  const fields = [
    ...plan.groups.map(({ column }) => column.field),
    ...plan.measures.map(({ field }) => field),
  ];
  for (const entry of entries) {
    const path = prefix + entry.name;
    if ('entries' in entry) addOutputs(entry.entries, `${path}.`, { digits, plan });
    else if ('output' in entry && isDigits(fields[entry.output] as Field)) digits.add(path);
  }
};

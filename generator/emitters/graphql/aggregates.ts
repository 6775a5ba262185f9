/** Defines the types of `<collection>_aggregated`, and the fields of items that aggregate their lists. */
import {
  aggregateNames,
  aggregatesOf,
  aggregates,
  resultTypeOf,
  type AggregateName,
} from '../../../contract/aggregates.js';
import { fieldTypes } from '../../../contract/field-types.js';
import type { Collection, Field } from '../../model/types.js';
import type { Definition, FieldDefinition } from '../../print/graphql.js';
import { linksOf, nameDirective, type Context } from './context.js';
import { functionFields } from './functions.js';
import { createNameAllocator } from './names.js';
import { valueType } from './operators.js';
import { groupArguments } from './roots.js';

/** Returns whether a collection has `<collection>_aggregated`: a singleton has nothing to aggregate. */
export const isAggregated = ({ path, singleton }: Collection): boolean => path !== null && !singleton;

/** Returns the types of aggregations of a collection; none where nothing can be aggregated. */
export const aggregateTypes = (collection: Collection, context: Context): readonly Definition[] => {
  if (!isAggregated(collection)) return [];
  const { aggregated, measuresOf } = context.typesOf(collection);
  const kinds = new Map<string, Definition>();
  const operations = aggregateNames.flatMap((operation): FieldDefinition[] => {
    if (operation === 'countAll') return [{ name: operation, type: 'Int' }];
    const name = measuresOf(kindOf(operation));
    const fields = measureFields(operation, collection, context);
    if (fields.length === 0) return [];
    const directives = { collection: collection.name, action: 'read' };
    kinds.set(name, { kind: 'type', name, directives, fields });
    return [{ name: operation, type: name }];
  });
  const group: FieldDefinition = {
    name: 'group',
    note: 'The values of the groups by their names.',
    type: 'JSON',
  };
  return [{ kind: 'type', name: aggregated, fields: [group, ...operations] }, ...kinds.values()];
};

/** Defines the fields that aggregate the items of a list, by names that avoid those of other fields. */
export const aggregatedLists = (collection: Collection, context: Context): readonly FieldDefinition[] => {
  const allocate = createNameAllocator(
    [...collection.fields, ...collection.relations].map(({ graphql }) => graphql),
  );
  return linksOf(collection, context).flatMap(({ relation, target }) => {
    if (relation.kind !== 'oneToMany' || !isAggregated(target)) return [];
    return [
      {
        name: allocate(`${relation.graphql}_aggregated`),
        arguments: groupArguments(target, context),
        type: `[${context.typesOf(target).aggregated}!]`,
        directives: { collection: target.name, action: 'aggregate', name: relation.name },
      },
    ];
  });
};

/** Operations of one kind share a type. */
const kindOf = (operation: AggregateName): string => {
  const { computes, distinct } = aggregates[operation];
  if (computes === 'count') return distinct === true ? 'count_distinct' : 'count';
  return computes === 'min' || computes === 'max' ? 'range' : computes;
};

const measureFields = (
  operation: AggregateName,
  collection: Collection,
  context: Context,
): readonly FieldDefinition[] => {
  const fields = collection.fields
    .filter((field) => aggregatesOf(field).includes(operation))
    .map((field): FieldDefinition => ({
      name: field.graphql,
      type: resultType(operation, field),
      directives: nameDirective(field),
    }));
  const { computes } = aggregates[operation];
  const isWhole = computes === 'count' || computes === 'min' || computes === 'max';
  return isWhole ? [...fields, ...functionFields(collection, context, 'aggregations')] : fields;
};

const resultType = (operation: AggregateName, field: Field): string => {
  const { computes } = aggregates[operation];
  const isValue = computes === 'min' || computes === 'max';
  return isValue ? valueType(field) : fieldTypes[resultTypeOf(operation, field.type)].graphql;
};

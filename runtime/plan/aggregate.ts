/** Plans `aggregate`, `groupBy` and `having`: rows of groups and measures instead of items. */
import type { Grant } from '../access/grant.js';
import {
  aggregates,
  aggregatesOf,
  isAggregateName,
  resultTypeOf,
  type AggregateName,
} from '../../contract/aggregates.js';
import { isMasked } from '../../contract/fields.js';
import type { Collection, Field, ToMany } from '../../contract/collection.js';
import { collectProblems, invalidQuery, joinProblems, mapAll, type ApiError } from '../../contract/errors.js';
import { operatorsOf } from '../../contract/field-operators.js';
import { outputName, type Aggregation, type MeasureName, type OutputNode } from '../request/aggregation.js';
import type { Filter } from '../request/filter.js';
import type { Query, SortKey } from '../request/query.js';
import { compareColumn, fromQuery } from './comparison.js';
import { planPath } from './order.js';
import { planLimit, planWhere } from './read.js';
import { openScope, readableRows, type PlanContext, type Scope } from './scope.js';
import {
  allOf,
  anyOf,
  conditionTrue,
  type ColumnRef,
  type Condition,
  type Join,
  type ReadPlan,
} from './types.js';

/** A read of groups and measures in place of items. */
export interface AggregatePlan extends Pick<
  ReadPlan,
  'collection' | 'where' | 'whereTotal' | 'limit' | 'offset' | 'page' | 'meta'
> {
  /** The grant from which the columns and the conditions were derived. */
  readonly grant: Grant;
  readonly groups: readonly Group[];
  readonly measures: readonly Measure[];
  /** The JSON of a row. */
  readonly shape: readonly OutputEntry[];
  /** Columns are outputs: see `Computed`. */
  readonly having: Condition;
  /** Indexes of outputs: groups, then measures. */
  readonly order: readonly { readonly output: number; readonly descending: boolean }[];
}

/** A column by whose values rows are grouped. */
export interface Group {
  /** Key in the result, such as `born_year` or `artist.name`. */
  readonly name: string;
  readonly column: ColumnRef;
}

/** An operation on the rows of a group. */
export interface Measure {
  readonly operation: AggregateName;
  /** Key below the operation; `null` for the rows. */
  readonly name: string | null;
  /** `null` for the rows. */
  readonly column: ColumnRef | null;
  /** Describes the result. */
  readonly field: Field;
}

/** A key of the answer: an output by its index among groups and measures, an object, or JSON. */
export type OutputEntry =
  | { readonly name: string; readonly output: number }
  | { readonly name: string; readonly entries: readonly OutputEntry[] }
  | { readonly name: string; readonly json: string };

/**
 * Plans an aggregation. @throws FORBIDDEN for names, INVALID_QUERY for operations that do not apply to a field
 */
export const planAggregate = (
  query: Query,
  aggregation: Aggregation,
  { collection, context }: { readonly collection: Collection; readonly context: PlanContext },
): AggregatePlan =>
  planGroups(query, aggregation, openScope(collection, 'read', { ...context, zone: query.timezone }));

/** Plans an aggregation of the rows of a level. @throws as `planAggregate` */
const planGroups = (query: Query, aggregation: Aggregation, scope: Scope): AggregatePlan => {
  if (scope.grant === null) throw new Error('a read needs a grant');
  const outputs = createOutputs(aggregation, scope);
  const whereTotal = readableRows(scope);
  const problems: ApiError[] = [];
  const shape = collectProblems(problems, () => planShape(aggregation.outputs, outputs));
  const having = collectProblems(problems, () => planHaving(aggregation.having ?? noFilter, outputs));
  const order = collectProblems(problems, () => planOutputOrder(query.sort, outputs));
  const where = collectProblems(problems, () => planWhere(query, scope));
  if (shape === null || having === null || order === null || where === null) throw joinProblems(problems);
  return {
    collection: scope.collection,
    grant: scope.grant,
    groups: outputs.groups,
    measures: outputs.measures,
    shape,
    having,
    order,
    where: allOf([whereTotal, where, ...outputs.groups.flatMap(visibleRows)]),
    whereTotal,
    limit: planLimit(query),
    offset: query.offset === null ? null : fromQuery(query.offset),
    page: query.page === null ? null : fromQuery(query.page),
    meta: query.meta,
  };
};

/** Plans an aggregation of the rows of a nested list. @throws as `planAggregate` */
export const planListGroups = (
  relation: ToMany,
  { query, aggregation }: { readonly query: Query; readonly aggregation: Aggregation },
  scope: Scope,
): AggregatePlan => {
  if (query.offset !== null || query.page !== null)
    throw invalidQuery(`"offset" and "page" do not apply to the groups of "${relation.name}"`);
  return planGroups(query, aggregation, scope);
};

/** Leaves out the rows whose value of a group the caller may not see, instead of counting them as null. */
const visibleRows = ({ column: { path, rule } }: Group): readonly Condition[] =>
  [...path.map((step) => step.rule), rule].flatMap((each, index) =>
    each === null ? [] : [visibleAt(path.slice(0, index), each)],
  );

/** True of the rows without an item at the end of the path, whose value is null, and where the rule is true of that item. */
const visibleAt = (path: readonly Join[], rule: Condition): Condition => {
  const isVisible: Condition = { kind: 'at', path, condition: rule };
  const last = path.at(-1);
  if (last === undefined) return isVisible;
  const { collection, references } = last.relation;
  const field = collection.fields.get(references[0] ?? '');
  if (field === undefined) throw new Error(`"${last.relation.name}" refers to no field`);
  return anyOf([{ kind: 'null', column: { path, field, rule: null, inRule: false } }, isVisible]);
};

interface Outputs {
  readonly scope: Scope;
  readonly groups: readonly Group[];
  /** `having` and `sort` append what they use. */
  readonly measures: Measure[];
}

const createOutputs = ({ groupBy }: Aggregation, scope: Scope): Outputs => {
  const groups = new Map(mapAll(groupBy, (path) => [outputName(path), planGroup(path, scope)] as const));
  return { scope, groups: [...groups.values()], measures: [] };
};

/** Plans the keys of a row, or of an object in it. @throws INVALID_QUERY where a group has the name of an operation */
const planShape = (nodes: readonly OutputNode[], outputs: Outputs): readonly OutputEntry[] => {
  const entries = mapAll(nodes, (node) => planOutput(node, outputs)).flat();
  const names = new Set<string>();
  for (const { name } of entries) {
    if (names.has(name))
      throw invalidQuery(`a group and an operation are both called "${name}"; ask for them in two requests`);
    names.add(name);
  }
  return entries;
};

const planOutput = (node: OutputNode, outputs: Outputs): readonly OutputEntry[] => {
  switch (node.kind) {
    case 'groups':
      return outputs.groups.map(({ name }, output) => ({ name, output }));
    case 'measure':
      return [{ name: node.as, output: outputs.groups.length + addMeasure(node.measure, outputs) }];
    case 'constant':
      return [{ name: node.as, json: node.json }];
    case 'object': {
      const entries = planShape(node.children, outputs);
      return [entries.length === 0 ? { name: node.as, json: 'null' } : { name: node.as, entries }];
    }
  }
};

const planGroup = (path: readonly string[], scope: Scope): Group => {
  const column = planPath(path, scope, 'groupBy');
  const { field } = column;
  if (isMasked(field))
    throw invalidQuery(`"groupBy" cannot use "${path.join('.')}": its values are concealed`);
  if (!operatorsOf(field).has('eq') && column.computed?.kind !== 'json')
    throw invalidQuery(
      `"groupBy" cannot use "${path.join('.')}": values of type ${field.type} are not comparable`,
    );
  return { name: outputName(path), column };
};

/** Returns the index of a measure, adding it where it is missing. */
const addMeasure = ({ operation, path }: MeasureName, { scope, measures }: Outputs): number => {
  const name = path === null ? null : outputName(path);
  const present = measures.findIndex((each) => each.operation === operation && each.name === name);
  if (present !== -1) return present;
  if (path === null) {
    return measures.push({ operation, name, column: null, field: countField }) - 1;
  }
  const column = planPath(path, scope, 'aggregate');
  const known = aggregatesOf(column.field);
  if (!known.includes(operation)) {
    throw invalidQuery(
      `${operation} does not apply to "${path.join('.')}" (${column.field.type}); it supports ${known.join(', ')}`,
    );
  }
  return measures.push({ operation, name, column, field: resultField(operation, column.field) }) - 1;
};

const countField: Field = { name: 'count', type: 'integer', bits: 64 };

/** Digits after the point that an average has beyond those of its column. */
const averageDigits = 4;
/** Digits of a column that does not limit them. */
const unlimitedScale = 12;

/** Describes a result: it may need more digits than its column has. */
const resultField = (operation: AggregateName, field: Field): Field => {
  const type = resultTypeOf(operation, field.type);
  const result = { name: field.name, type, nullable: true } as const;
  switch (aggregates[operation].computes) {
    case 'count':
      return countField;
    case 'sum':
      if (type === 'bigInteger') return { ...result, bits: 64 };
      return type === 'decimal' && field.scale !== undefined ? { ...result, scale: field.scale } : result;
    case 'avg':
      return type === 'decimal' ? { ...result, scale: scaleOf(field) + averageDigits } : result;
    default:
      return { ...field, nullable: true };
  }
};

/** Returns how many digits after the point the sum of a column has. */
const scaleOf = ({ type, scale = unlimitedScale }: Field): number =>
  resultTypeOf('sum', type) === 'decimal' ? scale : 0;

/** Returns the output of a path such as `status`, `born_year`, `count` or `sum.price`; null if there is none. */
const findOutput = (
  path: readonly string[],
  outputs: Outputs,
): { readonly index: number; readonly field: Field } | null => {
  const { groups, measures } = outputs;
  const group = groups.findIndex(({ name }) => name === path.join('.') || name === outputName(path));
  if (group !== -1) return { index: group, field: (groups[group] as Group).column.field };
  const [operation = '', ...rest] = path;
  if (!isAggregateName(operation)) return null;
  // in an object of several counts, that of the rows is `*`
  const isOfRows = rest.join('.') === '' || rest.join('.') === '*';
  if (isOfRows && aggregates[operation].computes !== 'count') return null;
  const measure = addMeasure({ operation, path: isOfRows ? null : rest }, outputs);
  return { index: groups.length + measure, field: (measures[measure] as Measure).field };
};

const requireOutput = (path: readonly string[], parameter: string, outputs: Outputs) => {
  const output = findOutput(path, outputs);
  if (output !== null) return output;
  const names = [...outputs.groups.map(({ name }) => name), 'count', 'sum.<field>'];
  throw invalidQuery(
    `"${parameter}" of an aggregation takes groups and operations, not "${path.join('.')}"; for example ${names.join(', ')}`,
  );
};

/** Plans the order of the groups; without groups there is one row. */
const planOutputOrder = (sort: readonly SortKey[] | null, outputs: Outputs): AggregatePlan['order'] => {
  if (outputs.groups.length === 0) return [];
  const sorted = mapAll(sort ?? [], ({ path, descending }) => ({
    output: requireOutput(path, 'sort', outputs).index,
    descending,
  }));
  const rest = outputs.groups.map((_, output) => ({ output, descending: false }));
  return [...sorted, ...rest.filter(({ output }) => !sorted.some((each) => each.output === output))];
};

const noFilter: Filter = { kind: 'and', filters: [] };

/** Plans `having`, a filter with the keys of the result. */
const planHaving = (filter: Filter, outputs: Outputs, path: readonly string[] = []): Condition => {
  switch (filter.kind) {
    case 'and':
      return allOf(mapAll(filter.filters, (part) => planHaving(part, outputs, path)));
    case 'or':
      return filter.filters.length === 0
        ? conditionTrue
        : anyOf(mapAll(filter.filters, (part) => planHaving(part, outputs, path)));
    case 'field':
      return planHaving(filter.filter, outputs, [...path, filter.name]);
    case 'compare': {
      const { index, field } = requireOutput(path, 'having', outputs);
      const column: ColumnRef = {
        path: [],
        field,
        rule: null,
        inRule: false,
        computed: { kind: 'output', index },
      };
      return compareColumn(column, filter, { name: path.join('.'), slots: fromQuery });
    }
    default:
      throw invalidQuery(`"_${filter.kind}" does not apply to "having"`);
  }
};

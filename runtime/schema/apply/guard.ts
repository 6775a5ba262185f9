/** Refuses what a diff may not ask for: names, types and expressions that are not known to be harmless. Pure. */
import { invalidPayload, type ApiError } from '../../../contract/errors.js';
import type { SchemaPrinter } from '../../databases/contract.js';
import { MissingFunction, printExpression } from '../expressions/print.js';
import type { ColumnShape, IndexShape, SchemaExpression, TableShape } from '../shapes.js';
import { findDefaultProblems } from './default-guard.js';
import { findTargetProblems } from './target-guard.js';

/** Beginnings of names with a meaning of their own. */
const reserved = /^(?:svc_|#sql)/i;

/** Returns what is wrong with the tables as they shall be, compared with those that are there. */
export const findProblems = (
  before: readonly TableShape[],
  after: readonly TableShape[],
  printer: SchemaPrinter,
): readonly ApiError[] => {
  const old = new Map(before.map((table) => [table.name, table]));
  const targets = { old, wanted: new Map(after.map((table) => [table.name, table])) };
  const doubles = printer.foldsTableNames === true ? findDoubles(after) : [];
  const found = after.flatMap((table) => {
    const present = old.get(table.name);
    const problems = findTargetProblems(table, targets);
    if (present !== undefined && JSON.stringify(present) === JSON.stringify(table)) return problems;
    return [
      ...problems,
      ...findNameProblems(table, present, printer),
      ...table.columns.flatMap((column) => findColumnProblems(column, { table, present, printer })),
      ...findCounterProblems(table, printer),
      ...findExpressionProblems(table, present, printer),
      ...findKeyProblems(table),
      ...findCommentProblems(table, present, printer),
      ...findUndescribed(table, present, printer),
      ...table.indexes
        .filter((index) => isNewIncomplete(index, present))
        .map(({ name }) =>
          invalidPayload(
            `the index "${name}" has properties that a snapshot does not hold; create it with SQL`,
          ),
        ),
    ];
  });
  return [...doubles, ...found];
};

/** Collections that would be one table. */
const findDoubles = (tables: readonly TableShape[]): readonly ApiError[] => {
  const first = new Map<string, string>();
  return tables.flatMap(({ name }) => {
    const other = first.get(name.toLowerCase()) ?? name;
    first.set(name.toLowerCase(), other);
    return other === name
      ? []
      : [
          invalidPayload(
            `the collections "${other}" and "${name}" differ in case alone, and are one table here`,
          ),
        ];
  });
};

/** A table that is made anew would lose what is not known of it. */
const findUndescribed = (
  table: TableShape,
  present: TableShape | undefined,
  { isMadeAnew }: SchemaPrinter,
): readonly ApiError[] => {
  const { incomplete = [] } = present ?? {};
  if (present === undefined || incomplete.length === 0 || isMadeAnew?.(present, table) !== true) return [];
  const what = incomplete.join('; ');
  return [
    invalidPayload(
      `"${table.name}" would lose what a snapshot does not describe: ${what}; change it with SQL`,
    ),
  ];
};

const isNewIncomplete = (index: IndexShape, present: TableShape | undefined): boolean =>
  index.incomplete &&
  !(present?.indexes ?? []).some((other) => JSON.stringify(other) === JSON.stringify(index));

const findNameProblems = (
  table: TableShape,
  present: TableShape | undefined,
  printer: SchemaPrinter,
): readonly ApiError[] => {
  const known = new Set(present === undefined ? [] : namesIn(present));
  const problems = namesIn(table)
    .filter((name) => !known.has(name))
    .flatMap((name) => nameProblem(name, printer));
  const folded = table.columns.map(({ name }) => name.toLowerCase());
  const twice = folded.find((name, at) => folded.indexOf(name) !== at);
  const double =
    twice === undefined ? [] : [`"${table.name}" has two fields "${twice}" that differ in case alone`];
  return [...new Set([...problems, ...double])].map(invalidPayload);
};

const commentsIn = (table: TableShape): readonly string[] =>
  [table, ...table.columns].flatMap(({ comment }) => comment ?? []);

/** Comments whose characters the database would replace. */
const findCommentProblems = (
  table: TableShape,
  present: TableShape | undefined,
  { mapping }: SchemaPrinter,
): readonly ApiError[] => {
  const known = new Set(present === undefined ? [] : commentsIn(present));
  return commentsIn(table)
    .filter((comment) => !known.has(comment) && isReplaced(comment, mapping))
    .map((comment) =>
      invalidPayload(
        `"${table.name}": the comment ${JSON.stringify(comment)} has characters of four bytes, which this database replaces by question marks; leave them out`,
      ),
    );
};

const isReplaced = (text: string, { replacedCharacters: replaced }: SchemaPrinter['mapping']): boolean =>
  replaced !== null && text.search(replaced) !== -1;

const namesIn = (table: TableShape): readonly string[] => [
  table.name,
  ...[table.columns, table.uniques, table.indexes, table.checks, table.foreignKeys].flatMap((items) =>
    items.map(({ name }) => name),
  ),
];

const nameProblem = (name: string, printer: SchemaPrinter): readonly string[] => {
  if (printer.nameLength(name) > printer.maxName)
    return [`the name "${name}" is longer than ${printer.maxName}`];
  if (reserved.test(name) || printer.reserved.test(name))
    return [`the name "${name}" is reserved; choose one with another beginning`];
  if (isReplaced(name, printer.mapping))
    return [
      `the name "${name}" has characters of four bytes, which this database replaces by question marks`,
    ];
  const isOdd = name === '' || name.trim() !== name || /\p{Cc}|\p{Cs}/u.test(name);
  return isOdd ? [`the name ${JSON.stringify(name)} has control characters, or blanks at an end`] : [];
};

interface ColumnContext {
  readonly table: TableShape;
  readonly present: TableShape | undefined;
  readonly printer: SchemaPrinter;
}

const findColumnProblems = (
  column: ColumnShape,
  { table, present, printer }: ColumnContext,
): readonly ApiError[] => {
  const old = present?.columns.find(({ name }) => name === column.name);
  const place = `"${table.name}.${column.name}"`;
  const isKnown =
    old?.dataType === column.dataType && JSON.stringify(old.values) === JSON.stringify(column.values);
  const type = printer.dataType(column.dataType, column.values);
  if (type === null && !isKnown) {
    return [invalidPayload(`the data_type "${column.dataType}" of ${place} is not one of this database`)];
  }
  if (type?.size === 'values' && (column.values ?? []).length === 0) {
    return [invalidPayload(`${place} needs enum_values`)];
  }
  // where any default is possible, a new table gets those that its snapshot has
  const isTaken = printer.takesAnyDefault === true && present === undefined;
  return isTaken ? [] : findDefaultProblems(column, { old, type, place });
};

/** Fields that count without the key that the database requires of them. */
const findCounterProblems = (table: TableShape, { mapping }: SchemaPrinter): readonly ApiError[] => {
  const { counters } = mapping;
  if (counters === 'any') return [];
  const keys = counters === 'key' ? firstOfKeys(table) : onlyOf(table.primaryKey);
  return table.columns
    .filter(({ name, autoIncrement }) => autoIncrement !== null && !keys.includes(name))
    .map(({ name }) =>
      invalidPayload(
        `"${table.name}.${name}" has has_auto_increment, for which this database needs it to be ` +
          (counters === 'key' ? 'the first field of a key or an index' : 'the primary key'),
      ),
    );
};

const onlyOf = (columns: readonly string[]): readonly string[] => (columns.length === 1 ? columns : []);

const firstOfKeys = ({
  primaryKey,
  uniques,
  indexes,
}: TableShape): readonly (string | null | undefined)[] => [
  primaryKey[0],
  ...uniques.map(({ columns }) => columns[0]),
  ...indexes.map(({ parts }) => parts[0]?.column),
];

const findExpressionProblems = (
  table: TableShape,
  present: TableShape | undefined,
  printer: SchemaPrinter,
): readonly ApiError[] => {
  const known = new Set(
    present === undefined ? [] : expressionsIn(present).flatMap(([, each]) => rawOf(each)),
  );
  return expressionsIn(table).flatMap(([place, expression]) => {
    if (expression.kind === 'raw') {
      if (known.has(expression.sql)) return [];
      return [
        invalidPayload(
          `the expression of ${place} is outside of the grammar: ${JSON.stringify(expression.sql.slice(0, 100))}`,
        ),
      ];
    }
    try {
      printExpression(expression.tree, printer.expressions);
      return [];
    } catch (error) {
      if (!(error instanceof MissingFunction)) throw error;
      return [
        invalidPayload(`the expression of ${place} uses ${error.functionName}(), which this database lacks`),
      ];
    }
  });
};

const rawOf = (expression: SchemaExpression): readonly string[] =>
  expression.kind === 'raw' ? [expression.sql] : [];

type Placed = readonly [place: string, expression: SchemaExpression];

const expressionsIn = (table: TableShape): readonly Placed[] => [
  ...table.columns.flatMap((column): Placed[] => [
    ...(column.default?.kind === 'expression'
      ? [[`the default of "${table.name}.${column.name}"`, column.default.expression] as const]
      : []),
    ...(column.generated === null
      ? []
      : [[`"${table.name}.${column.name}"`, column.generated.expression] as const]),
  ]),
  ...table.checks.map((check): Placed => [`the check "${check.name}"`, check.expression]),
  ...table.indexes.flatMap((index): Placed[] =>
    [...index.parts.map(({ expression }) => expression), index.predicate].flatMap((expression) =>
      expression === null ? [] : [[`the index "${index.name}"`, expression] as const],
    ),
  ),
];

const findKeyProblems = (table: TableShape): readonly ApiError[] => {
  const own = new Set(table.columns.map(({ name }) => name));
  const missing = (columns: readonly (string | null)[], what: string): readonly ApiError[] =>
    columns
      .filter((column) => column !== null && !own.has(column))
      .map((column) => invalidPayload(`${what} names "${column}", which "${table.name}" does not have`));
  return [
    ...missing(table.primaryKey, 'the primary key'),
    ...table.uniques.flatMap(({ name, columns }) => missing(columns, `the unique constraint "${name}"`)),
    ...table.indexes.flatMap(({ name, parts, include }) =>
      missing([...parts.map(({ column }) => column), ...include], `the index "${name}"`),
    ),
    ...table.foreignKeys.flatMap((key) => missing(key.columns, `the relation "${key.name}"`)),
  ];
};

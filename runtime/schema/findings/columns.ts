/** Finds rows whose values a changed or new column cannot hold. */
import type { SchemaPrinter } from '../../databases/contract.js';
import { printCounted, type RowCount } from '../row-counts.js';
import type { ColumnShape, TableShape } from '../shapes.js';
import {
  collationOf,
  countRows,
  quoteColumn,
  type Finding,
  type FindingContext,
  type FindingKind,
} from './finding.js';
import { exceededBytes, isConverted, isNarrowed, isShortened, narrowedRange, texts } from './type-changes.js';

interface ColumnChange {
  readonly present: TableShape;
  readonly wanted: TableShape;
  /** Undefined for a new column. */
  readonly old: ColumnShape | undefined;
  readonly column: ColumnShape;
}

/** A condition on rows, and what is said of them. */
interface Question {
  readonly kind: FindingKind;
  readonly condition: string;
  /** Follows the name of the field. */
  statement(rows: RowCount): string;
}

/** Returns a finding for each column with values that would be lost or refused, with the number of rows. */
export const findInColumns = async (
  wanted: TableShape,
  present: TableShape,
  context: FindingContext,
): Promise<readonly Finding[]> => {
  const old = new Map(present.columns.map((column) => [column.name, column]));
  const findings: Finding[] = [];
  const { name: table } = wanted;
  for (const column of wanted.columns) {
    const change: ColumnChange = { present, wanted, old: old.get(column.name), column };
    for (const { kind, condition, statement } of questionsAbout(change, context)) {
      const problem = `the database cannot tell which values of "${table}.${column.name}" the new type does not have`;
      const count = await countRows({ table, condition }, problem, context);
      const message = `"${table}.${column.name}"${statement(count)}`;
      if (count.rows > 0)
        findings.push({ kind, collection: table, fields: [column.name], ...count, message });
    }
  }
  return findings;
};

const questionsAbout = (change: ColumnChange, context: FindingContext): readonly Question[] => {
  const { present, wanted, old, column } = change;
  if (old === undefined) return missingValues(column);
  const name = quoteColumn(wanted.name, column.name, context);
  const nulls: readonly Question[] =
    old.nullable && !column.nullable
      ? [
          {
            kind: 'nulls',
            condition: `${name} is null`,
            statement: (rows) =>
              `: ${printCounted(rows, 'row has', 'rows have')} no value; give a value first`,
          },
        ]
      : [];
  if (column.generated !== null || old.generated !== null) return nulls;
  return [
    ...nulls,
    ...lostValues({ old, column, name }, context),
    ...lostLabels({ old, column, name }, context),
    ...lostSpaces({ old, column, name }),
    ...lostCharacters({ old, column, name }, { present, wanted, context }),
  ];
};

interface Tables {
  readonly present: TableShape;
  readonly wanted: TableShape;
  readonly context: FindingContext;
}

const lostCharacters = (
  { old, column, name }: Changed,
  { present, wanted, context }: Tables,
): readonly Question[] => {
  if (old.collation === column.collation || !texts.test(old.dataType) || !texts.test(column.dataType))
    return [];
  const [from, to] = [collationOf(old, present, context), collationOf(column, wanted, context)];
  const loss = context.printer.collations?.lossOf(name, { from, to }) ?? null;
  if (loss === null) return [];
  const statement: Question['statement'] = (rows) =>
    `: ${printCounted(rows, 'row holds', 'rows hold')} characters that ${loss.set} does not have`;
  return [{ kind: 'inconvertible', condition: loss.condition, statement }];
};

const isPadded = ({ dataType }: ColumnShape): boolean => /^char(?:acter)?$/i.test(dataType);

const lostSpaces = ({ old, column, name }: Changed): readonly Question[] =>
  texts.test(old.dataType) && !isPadded(old) && isPadded(column)
    ? [
        {
          kind: 'may_change',
          condition: `${name} like '% '`,
          statement: holding(`that end with spaces, which ${column.dataType} does not keep`),
        },
      ]
    : [];

const needsValue: Question['statement'] = (rows) =>
  ` must not be null and has no default, but ${printCounted(rows, 'row is', 'rows are')} there; give it a default, or let it be null`;

/** A column without null and default has no value for the rows that are there. */
const missingValues = (column: ColumnShape): readonly Question[] => {
  const hasValue =
    column.nullable || column.default !== null || column.generated !== null || column.autoIncrement !== null;
  if (hasValue) return [];
  return [{ kind: 'missing_values', condition: '1 = 1', statement: needsValue }];
};

const holding =
  (what: string): Question['statement'] =>
  (rows) =>
    `: ${printCounted(rows, 'row holds', 'rows hold')} values ${what}`;

interface Changed {
  readonly old: ColumnShape;
  readonly column: ColumnShape;
  /** Quoted, as the database has it. */
  readonly name: string;
}

const lostValues = ({ old, column, name }: Changed, { printer }: FindingContext): readonly Question[] => {
  const srid = printer.mapping.enforcesSrid ? (column.srid ?? null) : null;
  if (srid !== null && srid !== old.srid && old.srid !== undefined) {
    const statement = holding(`of another system of coordinates than SRID ${srid}`);
    return [{ kind: 'inconvertible', condition: `st_srid(${name}) <> ${srid}`, statement }];
  }
  const range = narrowedRange(old, column, printer);
  if (range !== null) {
    const condition = `${name} not between ${range.min} and ${range.max}`;
    return [{ kind: 'out_of_range', condition, statement: holding(`that ${column.dataType} does not have`) }];
  }
  const isSet = `${name} is not null`;
  const bytes = exceededBytes(old, column, printer);
  if (bytes !== null) {
    const statement = holding(
      `longer than the ${bytes} bytes of ${column.dataType}; shorten what is too long first`,
    );
    return [{ kind: 'inconvertible', condition: `octet_length(${name}) > ${bytes}`, statement }];
  }
  if (isConverted(old, column, printer))
    return [
      { kind: 'may_change', condition: isSet, statement: holding(`that may change as ${column.dataType}`) },
    ];
  if (isShortened(old, column)) {
    const condition = tooLong({ old, column, name }, printer);
    return [{ kind: 'too_long', condition, statement: holding(`longer than ${column.length}`) }];
  }
  return isNarrowed(old, column, printer)
    ? [{ kind: 'may_not_fit', condition: isSet, statement: holding('that may not fit') }]
    : [];
};

/** A label of an enum is not a text everywhere. */
const tooLong = ({ old, column, name }: Changed, { expressions }: SchemaPrinter): string => {
  const length = Number(column.length);
  if (old.values === null || old.dataType === 'set')
    return `${expressions.call('char_length', [name]) ?? `length(${name})`} > ${length}`;
  const labels = old.values.filter((label) => [...label].length > length);
  return labels.length === 0
    ? '1 = 0'
    : `${name} in (${labels.map((label) => expressions.text(label)).join(', ')})`;
};

const lostLabels = ({ old, column, name }: Changed, { printer }: FindingContext): readonly Question[] => {
  const lost = (old.values ?? []).filter((value) => !(column.values ?? [value]).includes(value));
  if (lost.length === 0) return [];
  const list = lost.map((value) => printer.expressions.text(value)).join(', ');
  const condition = printer.holdsLabel?.(name, { column: old, labels: lost }) ?? `${name} in (${list})`;
  return [{ kind: 'not_in_enum', condition, statement: holding('that enum_values lacks') }];
};

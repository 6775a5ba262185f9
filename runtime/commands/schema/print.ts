/** Prints differences for people: one line for each change, coloured on a terminal. */
import { styleText } from 'node:util';
import { isObject } from '../../../contract/objects.js';
import { accessLists } from '../../schema/access-rows/types.js';
import type { Change, SchemaDiff } from '../../schema/diff/types.js';
import { findingKinds } from '../../schema/findings/finding.js';
import type { Loss } from '../../schema/mapping/map-snapshot.js';
import type { ExplainedChange, ExplainedCollection, Explanation } from '../../schema/explain/explain.js';
import { printCounted } from '../../schema/row-counts.js';

const marks = { N: '+', D: '-', E: '~', A: '~' } as const;
const colours = { '+': 'green', '-': 'red', '~': 'yellow' } as const;

/** Colours a line by its first character, where stdout is a terminal that shows colours. */
const paint = (line: string): string => {
  const colour = colours[line[0] as keyof typeof colours];
  const shows = process.stdout.isTTY && process.stdout.hasColors() && process.env.NO_COLOR === undefined;
  return shows && colour !== undefined ? styleText(colour, line) : line;
};

/** `+` new, `-` dropped, `~` changed. */
export const printDiff = ({ collections, fields, relations, ...rest }: SchemaDiff): string =>
  [
    ...collections.flatMap(({ collection, diff }) =>
      diff.map((change) => printChange(`collection ${collection}`, change)),
    ),
    ...fields.flatMap(({ collection, field, diff }) =>
      diff.map((change) => printChange(`field ${collection}.${field}`, change)),
    ),
    ...relations.flatMap(({ collection, field, diff }) =>
      diff.map((change) => printChange(`relation ${collection}.${field}`, change)),
    ),
    ...accessLists.flatMap((list) =>
      (rest[list] ?? []).flatMap(({ id, diff }) =>
        diff.map((change) => `${printChange(`${list} ${id}`, change)}${printRowName(change)}`),
      ),
    ),
  ]
    .map(paint)
    .join('\n');

/** Returns the name of a new or dropped role or policy, as ids say little to people. */
const printRowName = (change: Change): string => {
  const row = change.kind === 'N' ? change.rhs : change.kind === 'D' ? change.lhs : null;
  return change.path === undefined && isObject(row) && typeof row.name === 'string' ? ` (${row.name})` : '';
};

/** Keys of meta or schema that are null say nothing. */
const withoutNulls = (value: unknown): unknown =>
  isObject(value) ? Object.fromEntries(Object.entries(value).filter(([, each]) => each !== null)) : value;

const printChange = (what: string, change: Change): string => {
  const place = change.path === undefined ? '' : ` ${change.path.join('.')}`;
  if (change.kind !== 'E') return `${marks[change.kind]} ${what}${place}`;
  const print = (value: unknown): string =>
    JSON.stringify(change.path.length === 1 ? withoutNulls(value) : value);
  return `~ ${what}${place}: ${print(change.lhs)} → ${print(change.rhs)}`;
};

/** Returns what the database does not hold as the snapshot of another one has it: a line each. */
export const printLosses = (losses: readonly Loss[]): readonly string[] =>
  losses.map(
    ({ collection, field, loss }) =>
      `not the same here: ${field === undefined ? collection : `${collection}.${field}`}: ${loss}`,
  );

/** Returns what an apply loses: a line each. @param acceptLoss whether values are shortened and converted too */
export const printLost = (
  { collections, access }: Explanation,
  { acceptLoss }: { readonly acceptLoss: boolean },
): readonly string[] => [
  ...collections.flatMap((explained) => explained.changes.flatMap((change) => printLoss(explained, change))),
  ...collections.flatMap(({ findings }) =>
    findings.flatMap(({ kind, message }) => (acceptLoss && findingKinds[kind].lossy ? [message] : [])),
  ),
  ...access
    .filter(({ effect }) => effect === 'revokes')
    .map(({ list, id, name }) => `what ${list} ${id}${name === null ? '' : ` (${name})`} allows`),
];

const printLoss = (explained: ExplainedCollection, change: ExplainedChange): readonly string[] => {
  const { lost } = change;
  if (lost === undefined || lost.rows === 0) return [];
  const [one, many] = change.change === 'drop collection' ? ['row', 'rows'] : ['value', 'values'];
  return [`${printCounted(lost, one, many)}: ${nameOf(explained, change)}`];
};

/** Returns what is lost, what the data forbids, and who breaks: a line each; nothing where all is harmless. */
export const printExplanation = ({ collections, breaking }: Explanation): readonly string[] => [
  ...collections.flatMap(printCollection),
  ...breaking.map(({ message }) => `breaks clients: ${message}`),
];

const printCollection = (explained: ExplainedCollection): readonly string[] => [
  ...explained.changes.flatMap((change) => printCost(explained, change)),
  ...explained.findings.map(({ message }) => `stands against it: ${message}`),
  ...explained.dependants.map(
    ({ kind, name, field, blocks }) =>
      `${blocks ? 'is refused' : 'fails later'}: the ${kind} "${name}" names ${[explained.collection, ...(field === null ? [] : [field])].join('.')}`,
  ),
];

const nameOf = ({ collection }: ExplainedCollection, { change, fields }: ExplainedChange): string =>
  `${change} ${[collection, ...(fields.length === 0 ? [] : [fields.join(', ')])].join('.')}`;

const printCost = (explained: ExplainedCollection, change: ExplainedChange): readonly string[] => {
  const { classes, lock, algorithm, blocks } = change;
  const what = nameOf(explained, change);
  return [
    ...printLoss(explained, change).map((line) => `loses ${line}`),
    ...(classes.includes('blocking')
      ? [
          `blocks ${blocks === 'everything' ? 'reads and writes' : 'writes'} for ${printCounted(explained, 'row', 'rows')}: ${what} (${algorithm}, ${lock})`,
        ]
      : []),
  ];
};

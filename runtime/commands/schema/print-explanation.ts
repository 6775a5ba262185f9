/** Prints everything that is known of a difference, for `svc schema diff --explain`. */
import type { ExplainedAccess } from '../../schema/explain/access.js';
import type { ExplainedChange, ExplainedCollection, Explanation } from '../../schema/explain/explain.js';
import type { ExactCost } from '../../schema/explain/table-changes.js';
import { printCounted } from '../../schema/row-counts.js';

/** Returns lines: each change with its cost, what the server says of it, access, and the statements of each phase. */
export const printWhole = ({ collections, access, phases }: Explanation): readonly string[] => [
  ...collections.flatMap(printCollection),
  ...access.map(printAccess),
  ...phases.flatMap(({ phase, statements }) => [
    phase === 'expand' ? 'expand, before servers follow:' : 'contract, when all servers have followed:',
    ...statements.map((sql) => `  ${sql.replaceAll(/\s+/g, ' ')};`),
  ]),
];

const printCollection = (explained: ExplainedCollection): readonly string[] => {
  const { collection, bytes, exact, changes } = explained;
  const size = bytes === null ? '' : `, ${bytes} bytes`;
  return [
    `${collection}: ${printCounted(explained, 'row', 'rows')}${size}`,
    ...changes.flatMap(printChange),
    ...(exact === undefined || exact === null ? [] : [`  the server says: ${printExact(exact)}`]),
  ];
};

const printChange = ({
  change,
  fields,
  classes,
  algorithm,
  lock,
  blocks,
  work,
  advice,
}: ExplainedChange): readonly string[] => [
  `  ${[change, ...fields].join(' ')}: ${classes.join(', ')}; ${algorithm}, lock ${lock}, blocks ${blocks}, work: ${work}`,
  ...(advice === null ? [] : [`    safer: ${advice}`]),
];

const printExact = ({ algorithm, lock, blocks, rewrites }: ExactCost): string =>
  [
    algorithm,
    ...(lock === undefined ? [] : [`lock ${lock}`]),
    ...(blocks === undefined ? [] : [`blocks ${blocks}`]),
    ...(rewrites === undefined ? [] : [rewrites ? 'all rows are rewritten' : 'no row is rewritten']),
  ].join(', ');

const printAccess = ({
  list,
  id,
  change,
  name,
  effect,
  administration,
  public: isPublic,
  users,
}: ExplainedAccess): string =>
  [
    `${change} ${list} ${id}${name === null ? '' : ` (${name})`}: ${effect === 'none' ? 'allows the same' : effect}`,
    ...(administration ? ['of administrators'] : []),
    isPublic ? 'of everybody, without a login too' : `of ${users} users`,
  ].join(', ');

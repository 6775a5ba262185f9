/** Prints the statements of an apply as a file that a person runs. */
import type { Explanation } from '../../schema/explain/explain.js';
import type { ExplainedPhase } from '../../schema/explain/phases.js';

/**
 * Returns the lines of the file: the settings of the session, and one transaction where the database can roll back DDL.
 * @param phase prints the statements of one phase; all of them unless given
 */
export const printScript = (
  explanation: Explanation,
  phase: ExplainedPhase['phase'] | undefined,
): readonly string[] => {
  const { collections, phases, script } = explanation;
  const { statements, apart } = phase === undefined ? wholeOf(explanation) : partOf(explanation, phase);
  // rows belong to the last part, when their tables are there
  const rows = phase === undefined || phase === phases.at(-1)?.phase ? explanation.rows : [];
  const own = new Set(apart);
  const inside = statements.filter((sql) => !own.has(sql));
  const first = inside.length === 0 ? statements.length : statements.indexOf(inside[0] ?? '');
  const all = [
    ...statements.slice(0, first),
    ...(script.transactional
      ? inTransaction(script, [...inside, ...rows])
      : [...inside, ...inTransaction(script, rows)]),
    ...statements.slice(first).filter((sql) => own.has(sql)),
  ];
  if (all.length === 0) return [];
  return [
    ...collections.flatMap(({ findings }) =>
      findings.map(({ message }) => comment(`stands against it: ${message}`)),
    ),
    ...[...script.session, ...all].map((sql) => `${sql};`),
  ];
};

type Statements = Pick<ExplainedPhase, 'statements' | 'apart'>;

const wholeOf = ({ statements, phases }: Explanation): Statements => ({
  statements,
  apart: phases.flatMap(({ apart }) => apart),
});

const partOf = ({ phases }: Explanation, phase: ExplainedPhase['phase']): Statements =>
  phases.find((each) => each.phase === phase) ?? { statements: [], apart: [] };

const inTransaction = (
  { begin, commit }: Explanation['script'],
  statements: readonly string[],
): readonly string[] => (statements.length === 0 ? [] : [...begin, ...statements, ...commit]);

const comment = (text: string): string => `-- ${text.replaceAll(/\s+/g, ' ')}`;

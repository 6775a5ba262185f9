/** Lists the statements of an apply by its phases. */
import { comparableShapes, ownShapes, wantedShapes, type TableChange } from '../apply/apply.js';
import { findIndexBuilds } from '../apply/autocommit-steps.js';
import { expandTables } from '../apply/expand.js';
import { planLabels, planRenames, planTables, withLabels, type Step } from '../apply/plan.js';
import type { Database } from '../../databases/contract.js';

export interface ExplainedPhase {
  /** `expand` takes nothing away; `contract` follows when all servers serve what is new. */
  readonly phase: 'expand' | 'contract';
  /** Statements in the order in which they run. */
  readonly statements: readonly string[];
  /** The statements that are committed one by one; the others run in one transaction. */
  readonly apart: readonly string[];
}

export interface PlannedPhases {
  readonly phases: readonly ExplainedPhase[];
  /** Names of the indexes that servers do not wait for. */
  readonly built: ReadonlySet<string>;
}

/**
 * Returns the phases that have statements, in the order in which an apply runs them while servers are running. An embedded
 * database has one phase only.
 */
export const planPhases = async (change: TableChange, database: Database): Promise<PlannedPhases> => {
  const { live, wanted, renames } = change;
  const { printer } = live;
  const [unlabelled, after] = comparableShapes(change);
  const labels = planLabels(unlabelled, after, printer);
  const before = withLabels(unlabelled, after);
  const own = ownShapes(live);
  const now = withLabels(own, wantedShapes(wanted, own, live));
  const expanded = expandTables({ before: now, after: wantedShapes(wanted, now, live), renames });
  const builds = await findIndexBuilds(now, expanded, { printer, executor: database });
  const renaming = planRenames(renames, own, printer);
  const rest = [...renaming, ...planTables(expandTables({ before, after, renames }), after, printer)];
  const isOne = database.isEmbedded === true && rest.length > 0;
  const phases = isOne
    ? [toPhase('contract', [...renaming, ...planTables(before, after, printer)])]
    : [
        toPhase('expand', planTables(now, builds.tables, printer), { first: labels, last: builds.steps }),
        toPhase('contract', rest),
      ];
  return { phases: phases.filter(({ statements }) => statements.length > 0), built: builds.names };
};

const toPhase = (
  phase: ExplainedPhase['phase'],
  steps: readonly Step[],
  { first, last }: { readonly first: readonly Step[]; readonly last: readonly Step[] } = {
    first: [],
    last: [],
  },
): ExplainedPhase => ({
  phase,
  statements: [...first, ...steps, ...last].map(({ sql }) => sql),
  apart: [...first, ...last].map(({ sql }) => sql),
});

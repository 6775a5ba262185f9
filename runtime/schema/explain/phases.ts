/** Lists the statements of an apply by its phases. Pure. */
import { comparableShapes, ownShapes, wantedShapes, type TableChange } from '../apply/apply.js';
import { expandTables } from '../apply/expand.js';
import { planRenames, planTables } from '../apply/plan.js';

export interface ExplainedPhase {
  /** `expand` takes nothing away; `contract` follows when all servers serve what is new. */
  readonly phase: 'expand' | 'contract';
  /** Statements in the order in which they run. */
  readonly statements: readonly string[];
}

/**
 * Returns the phases that have statements, as an apply under servers that run has them.
 * @param isEmbedded whether the database is in the process that serves it: then everything is one phase
 */
export const planPhases = (
  change: TableChange,
  { isEmbedded }: { readonly isEmbedded: boolean },
): readonly ExplainedPhase[] => {
  const { live, wanted, renames } = change;
  const { printer } = live;
  const [before, after] = comparableShapes(change);
  const own = ownShapes(live);
  const expanded = expandTables({ before: own, after: wantedShapes(wanted, own, live), renames });
  const renaming = planRenames(renames, own, printer);
  const rest = [...renaming, ...planTables(expandTables({ before, after, renames }), after, printer)];
  const isOne = isEmbedded && rest.length > 0;
  const phases = [
    { phase: 'expand' as const, steps: isOne ? [] : planTables(own, expanded, printer) },
    {
      phase: 'contract' as const,
      steps: isOne ? [...renaming, ...planTables(before, after, printer)] : rest,
    },
  ];
  return phases
    .filter(({ steps }) => steps.length > 0)
    .map(({ phase, steps }) => ({ phase, statements: steps.map(({ sql }) => sql) }));
};

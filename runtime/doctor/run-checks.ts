/** Runs all checks. A check that needs what another found missing is not run. */
import { readCatalog } from '../../generator/main.js';
import { buildModel } from '../../generator/model/build.js';
import { ModelError } from '../../generator/model/findings.js';
import { SpecError } from '../../generator/spec/faults.js';
import { loadSpec } from '../../generator/spec/load.js';
import type { Config } from '../config/config.js';
import { specFolders } from '../config/paths.js';
import type { Database } from '../databases/contract.js';
import { pendingSteps, pendingStepsToText } from '../schema/bootstrap.js';
import { note, problem, type Check, type Finding, type Subject } from './check.js';
import { classesCheck } from './classes.js';
import { outputCheck } from './output.js';
import { rightsCheck } from './rights.js';
import { rulesCheck } from './rules.js';

/** The findings of one check. */
export interface Group {
  readonly name: string;
  /** `null`: not examined, because of a problem in another group. */
  readonly findings: readonly Finding[] | null;
}

/** Checks of a project whose spec fits its database. */
const checks: readonly Check[] = [rightsCheck, rulesCheck, classesCheck, outputCheck];

const systemTables = 'system tables';
const specFiles = 'spec files';

/** Examines a project and its database, without changing either. */
export const examine = async (database: Database, config: Config): Promise<readonly Group[]> => {
  const input = await withFaults(() => readInput(database, config));
  if (input.value === null) return complete([{ name: specFiles, findings: input.findings }]);
  const pending = await pendingSteps(input.value.spec, input.value.catalog);
  if (pending.length > 0)
    return complete([{ name: systemTables, findings: [problem(pendingStepsToText(pending))] }]);
  const { spec, catalog, unmatched } = input.value;
  const built = await withFaults(async () => buildModel({ catalog, spec, ignoresOutdated: true }));
  const { outdated = [], warnings = [], model } = built.value ?? {};
  const found = [
    ...unmatched.map(patternToFinding),
    ...built.findings,
    ...outdated.map(problem),
    ...warnings.map(note),
  ];
  const groups: Group[] = [
    { name: systemTables, findings: [] },
    { name: specFiles, findings: found },
  ];
  if (model === undefined) return complete(groups);
  const subject: Subject = { database, config, model };
  for (const { name, run } of checks) groups.push({ name, findings: await run(subject) });
  return groups;
};

const patternToFinding = (pattern: string): Finding =>
  problem(
    `the pattern "${pattern}" matches no table; correct it in TABLES_INCLUDE, TABLES_EXCLUDE or spec/api.yaml`,
  );

/** Adds the groups that were not examined. */
const complete = (groups: readonly Group[]): readonly Group[] =>
  [systemTables, specFiles, ...checks.map(({ name }) => name)].map(
    (name) => groups.find((group) => group.name === name) ?? { name, findings: null },
  );

const readInput = async (database: Database, { tables }: Config) => {
  const spec = await loadSpec(specFolders());
  const unmatched: string[] = [];
  const catalog = await readCatalog(
    {
      ...tables,
      reader: database,
      onUnmatched: ({ include, exclude }) => void unmatched.push(...include, ...exclude),
    },
    spec,
  );
  return { spec, catalog, unmatched };
};

interface Outcome<Value> {
  readonly findings: readonly Finding[];
  /** `null` where there are faults. */
  readonly value: Value | null;
}

/** Returns faults of the spec as findings. */
const withFaults = async <Value>(read: () => Promise<Value>): Promise<Outcome<Value>> => {
  try {
    return { findings: [], value: await read() };
  } catch (error) {
    if (!(error instanceof SpecError || error instanceof ModelError)) throw error;
    return { findings: error.message.split('\n').map(problem), value: null };
  }
};

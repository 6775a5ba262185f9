/** Explains a difference before it is applied: statements, cost, what the data says, and who depends on it. */
import type { StoredObjects } from '../../../generator/introspection/stored-objects.js';
import type { BreakingChange } from '../../../generator/model/breaking.js';
import type { Database, SchemaPrinter, Script } from '../../databases/contract.js';
import { isServed } from '../apply/follow.js';
import { planLabels, planRenames, planTables, withLabels, type Step } from '../apply/plan.js';
import { printRows } from '../apply/rows.js';
import { comparableShapes, ownShapes, type Apply } from '../apply/apply.js';
import { findInconvertible, findInData, formerNames, type Finding } from '../findings/index.js';
import { countUpTo, type RowCount } from '../row-counts.js';
import type { TableShape } from '../shapes.js';
import { explainAccess, type ExplainedAccess } from './access.js';
import { advise } from './advice.js';
import { findBreaking } from './clients.js';
import { findDependants, readObjects, type Dependant } from '../dependants.js';
import { measureAlter } from './measured-alters.js';
import { planPhases, type ExplainedPhase } from './phases.js';
import { compareTables, fieldsOf, type Cost, type ExactCost, type TableChange } from './table-changes.js';

export interface Explanation {
  /** All statements, in the order in which they run. */
  readonly statements: readonly string[];
  /** The same change in the phases of an apply under servers that run. */
  readonly phases: readonly ExplainedPhase[];
  /** Statements that change rows of meta and access, and what rules name; they come last. */
  readonly rows: readonly string[];
  /** Settings and transaction for a file that a person runs; `transactional` where the transaction holds all statements. */
  readonly script: Script & Pick<SchemaPrinter, 'transactional'>;
  readonly collections: readonly ExplainedCollection[];
  /** Changes of roles, policies and permissions. */
  readonly access: readonly ExplainedAccess[];
  /** Changes that break running clients. */
  readonly breaking: readonly BreakingChange[];
  /** True where anything is lost, also what `accept_loss` would lose. */
  readonly destructive: boolean;
  /** True where the apply would be refused as the data is now; `accept_loss` may change that. */
  readonly refused: boolean;
}

export interface ExplainedCollection extends RowCount {
  readonly collection: string;
  /** Bytes with indexes; null where the database does not tell. */
  readonly bytes: number | null;
  readonly statements: readonly string[];
  /** Cost of the statements that alter it, as the server reports it; null where it cannot. Absent unless requested. */
  readonly exact?: ExactCost | null;
  readonly changes: readonly ExplainedChange[];
  readonly findings: readonly Finding[];
  readonly dependants: readonly Dependant[];
}

export type ChangeClass = 'destructive' | 'may-fail' | 'blocking' | 'breaking' | 'harmless';

export interface ExplainedChange extends Cost {
  readonly change: TableChange['kind'];
  readonly fields: readonly string[];
  readonly classes: readonly ChangeClass[];
  /** Rows of a dropped collection, or values that are not null of a dropped field; absent for other changes. */
  readonly lost?: RowCount;
  /** True where another apply can undo it without loss. */
  readonly reversible: boolean;
  /** The safer way; null where there is none. */
  readonly advice: string | null;
}

export type ExplainedApply = Pick<Apply, 'live' | 'target' | 'wanted' | 'renames'>;

interface Facts {
  readonly apply: ExplainedApply;
  readonly database: Database;
  readonly before: ReadonlyMap<string, TableShape>;
  readonly after: ReadonlyMap<string, TableShape>;
  readonly steps: readonly Step[];
  readonly findings: readonly Finding[];
  readonly breaking: readonly BreakingChange[];
  readonly bytes: StoredObjects['bytes'];
  readonly dependants: ReadonlyMap<string, readonly Dependant[]>;
  readonly isExact: boolean;
  /** Names of indexes that are built while rows are written. */
  readonly built: ReadonlySet<string>;
}

/**
 * Explains what an apply would do. Changes nothing.
 * @param options `isExact`: asks the server too, which alters empty copies of tables
 */
export const explainApply = async (
  apply: ExplainedApply,
  database: Database,
  { isExact }: { readonly isExact: boolean },
): Promise<Explanation> => {
  const { live, renames, target, wanted } = apply;
  const { printer } = live;
  const [before, after] = comparableShapes(apply);
  const labelled = withLabels(before, after);
  const steps = [
    ...planLabels(before, after, printer),
    ...planRenames(renames, ownShapes(live), printer),
    ...planTables(labelled, after, printer),
  ];
  const objects = await readObjects(database, database.dialect);
  const { phases, built } = await planPhases(apply, database);
  const facts: Facts = {
    apply,
    database,
    isExact,
    built: (await isServed({ database })) ? built : new Set(),
    before: byName(before),
    after: byName(after),
    steps,
    findings: await findAll(before, after, { live, renames, database }),
    breaking: findBreaking(target, wanted, printer),
    bytes: objects.bytes,
    dependants: findDependants(objects.viewsAndTriggers, { before: labelled, after, renames, printer }),
  };
  const changed = [...new Set([...facts.before.keys(), ...facts.after.keys()])].toSorted();
  const collections: ExplainedCollection[] = [];
  for (const name of changed) {
    const explained = await explainTable(name, facts);
    if (explained !== null) collections.push(explained);
  }
  return {
    statements: steps.map(({ sql }) => sql),
    phases,
    rows: await printRows(database, apply),
    script: { ...(await printer.script(database)), transactional: printer.transactional },
    collections,
    access: await explainAccess(target, wanted, database),
    breaking: facts.breaking,
    destructive: collections.some(({ changes }) =>
      changes.some(({ classes }) => classes.includes('destructive')),
    ),
    refused:
      facts.findings.length > 0 ||
      collections.some(({ dependants }) => dependants.some(({ blocks }) => blocks)),
  };
};

const findAll = async (
  before: readonly TableShape[],
  after: readonly TableShape[],
  {
    database,
    live: { printer, collation },
    renames,
  }: { readonly database: Database } & Pick<ExplainedApply, 'live' | 'renames'>,
): Promise<readonly Finding[]> => {
  const context = { database, printer, collation, names: formerNames(renames) };
  return [
    ...(await findInData(before, after, { ...context, executor: database })),
    ...(await database.transaction((executor) => findInconvertible(before, after, { ...context, executor }))),
  ];
};

const byName = (tables: readonly TableShape[]): ReadonlyMap<string, TableShape> =>
  new Map(tables.map((table) => [table.name, table]));

const explainTable = async (name: string, facts: Facts): Promise<ExplainedCollection | null> => {
  const { apply, database, before, after, steps } = facts;
  const [old, wanted] = [before.get(name), after.get(name)];
  const changes = changesOf(name, facts);
  const own = steps.filter(({ table }) => table === name).map(({ sql }) => sql);
  if (changes.length === 0 && own.length === 0) return null;
  const names = formerNames(apply.renames);
  const former = names.table(name);
  const table = database.quote(former);
  const counted =
    old === undefined ? { rows: 0 } : await countUpTo(database, `select 1 as one from ${table}`);
  const findings = facts.findings.filter(({ collection }) => collection === name);
  const explained: ExplainedChange[] = [];
  for (const change of changes) {
    const cost = costOf(change, { old, wanted, facts });
    const lost = await lossOf(change, { database, table, rows: counted });
    const about = findings.filter((finding) => concerns(finding, change));
    const situation = { cost, rows: counted.rows, findings: about };
    explained.push({
      change: change.kind,
      fields: fieldsOf(change),
      classes: classify(change, { ...situation, breaks: breaks(name, change, facts) }),
      ...cost,
      ...(lost !== null && { lost }),
      reversible: !/^drop (?:field|collection)/.test(change.kind) && about.length === 0,
      advice: advise(change, situation),
    });
  }
  return {
    collection: name,
    ...counted,
    bytes: old === undefined ? 0 : (facts.bytes.get(former) ?? null),
    statements: own,
    ...(facts.isExact && { exact: await exactCost(old, wanted, facts) }),
    changes: explained,
    findings,
    dependants: facts.dependants.get(name) ?? [],
  };
};

const exactCost = async (
  before: TableShape | undefined,
  after: TableShape | undefined,
  { apply, database }: Facts,
): Promise<ExactCost | null> => {
  if (before === undefined || after === undefined) return null;
  const { printer } = apply.live;
  return measureAlter({ before, after, former: formerNames(apply.renames) }, { printer, database });
};

/** Changes other than that of a field which findings are about. */
const concerned: Readonly<Partial<Record<Finding['kind'], readonly TableChange['kind'][]>>> = {
  missing_values: ['add field'],
  duplicates: ['add unique', 'add index', 'change primary key'],
  orphans: ['add relation'],
  violations: ['add check'],
};

const concerns = ({ kind, fields }: Finding, change: TableChange): boolean =>
  (concerned[kind] ?? ['change field']).includes(change.kind) && fields.join() === fieldsOf(change).join();

const changesOf = (name: string, { apply, before, after }: Facts): readonly TableChange[] => {
  const [old, wanted] = [before.get(name), after.get(name)];
  if (old === undefined) return wanted === undefined ? [] : [{ kind: 'add collection' }];
  if (wanted === undefined) return [{ kind: 'drop collection' }];
  return [
    ...(apply.renames.collections.has(name) ? [{ kind: 'rename collection' } as const] : []),
    ...wanted.columns
      .filter((column) => apply.renames.fields.has(`${name}\0${column.name}`))
      .map((column) => ({ kind: 'rename field', column }) as const),
    ...compareTables(old, wanted, apply.live.printer.renamable),
  ];
};

const costOf = (
  change: TableChange,
  {
    old,
    wanted,
    facts,
  }: {
    readonly old: TableShape | undefined;
    readonly wanted: TableShape | undefined;
    readonly facts: Facts;
  },
): Cost => {
  const some = (old ?? wanted) as TableShape;
  const { printer } = facts.apply.live;
  if (change.kind === 'add index' && facts.built.has(change.index.name) && printer.indexBuilds !== undefined)
    return printer.indexBuilds.cost;
  return printer.costOf(change, { before: old ?? some, after: wanted ?? some });
};

/** Returns whether running clients fail because of a change or of its field. */
const breaks = (name: string, change: TableChange, { apply, breaking }: Facts): boolean => {
  const names = formerNames(apply.renames);
  const table = names.table(name);
  const subjects = new Set([
    ...(change.kind.endsWith('collection') ? [table] : []),
    ...('column' in change ? [`${table}.${names.column(name, change.column.name)}`] : []),
    ...('key' in change ? change.key.columns.map((column) => `${table}.${names.column(name, column)}`) : []),
  ]);
  return breaking.some(({ subject }) => subjects.has(subject));
};

interface Judged {
  readonly cost: Cost;
  readonly rows: number;
  readonly findings: readonly Finding[];
  readonly breaks: boolean;
}

const lossyKinds: ReadonlySet<string> = new Set(['too_long', 'may_change', 'may_not_fit']);

const classify = (
  change: TableChange,
  { cost, rows, findings, breaks: isBreaking }: Judged,
): readonly ChangeClass[] => {
  const isDrop = change.kind === 'drop collection' || change.kind === 'drop field';
  const classes: readonly (readonly [ChangeClass, boolean])[] = [
    ['destructive', isDrop || findings.some(({ kind }) => lossyKinds.has(kind))],
    ['may-fail', findings.some(({ kind }) => !lossyKinds.has(kind))],
    ['blocking', rows > 0 && cost.blocks !== 'nothing' && cost.work !== 'none'],
    ['breaking', isBreaking],
  ];
  const found = classes.filter(([, holds]) => holds).map(([name]) => name);
  return found.length === 0 ? ['harmless'] : found;
};

const lossOf = async (
  change: TableChange,
  { database, table, rows }: { readonly database: Database; readonly table: string; readonly rows: RowCount },
): Promise<RowCount | null> => {
  if (change.kind === 'drop collection') return rows;
  if (change.kind !== 'drop field') return null;
  const column = database.quote(change.column.name);
  return countUpTo(database, `select 1 as one from ${table} where ${column} is not null`);
};

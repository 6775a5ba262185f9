/** Views and triggers that use what a change drops, renames or makes anew. */
import { invalidPayload, throwProblems } from '../../contract/errors.js';
import { readStoredObjects } from '../../generator/introspection/index.js';
import type { StoredObjects, ViewOrTrigger } from '../../generator/introspection/stored-objects.js';
import type { DialectName, Executor, SchemaPrinter } from '../databases/contract.js';
import type { Renames } from './diff/renames.js';
import { formerNames } from './findings/index.js';
import { catalogReader } from './live-schema.js';
import type { TableShape } from './shapes.js';

export interface Dependant {
  readonly kind: ViewOrTrigger['kind'];
  readonly name: string;
  /** The field that it uses, by the name that the database has now; null for the collection. */
  readonly field: string | null;
  /** True where the database refuses the change because of it; otherwise it fails when it is used. */
  readonly blocks: boolean;
}

/** A change of a table, or of one of its columns, by the names that the database has now. */
interface Fate {
  readonly kind: 'drop' | 'rename' | 'replace';
  readonly table: string;
  readonly column: string | null;
}

interface TablesChange {
  readonly before: readonly TableShape[];
  readonly after: readonly TableShape[];
  readonly renames: Renames;
  readonly printer: SchemaPrinter;
}

/** Reads the views and triggers of a database, and the sizes of its tables. */
export const readObjects = (
  executor: Pick<Executor, 'query'>,
  dialect: DialectName,
): Promise<StoredObjects> => readStoredObjects(catalogReader(executor, dialect));

/** Returns the views and triggers that a change of tables breaks or that prevent it, by the new name of the table. */
export const findDependants = (
  objects: StoredObjects['viewsAndTriggers'],
  change: TablesChange,
): ReadonlyMap<string, readonly Dependant[]> =>
  new Map(
    change.before.map((table) => {
      const fates = fatesOf(table, change);
      const found = objects.flatMap((object) =>
        fates.flatMap((fate) => {
          const blocks = effectOf(object, fate, change.printer);
          return blocks === null
            ? []
            : [{ kind: object.kind, name: object.name, field: fate.column, blocks }];
        }),
      );
      return [table.name, found] as const;
    }),
  );

/** Refuses a change which the database would refuse because of views and triggers. @throws INVALID_PAYLOAD naming all of them */
export const refuseUsed = async (
  executor: Pick<Executor, 'query'>,
  dialect: DialectName,
  change: TablesChange,
): Promise<void> => {
  if (change.printer.replacedColumns === undefined) return;
  const { viewsAndTriggers } = await readObjects(executor, dialect);
  const problems = [...findDependants(viewsAndTriggers, change)].flatMap(([table, dependants]) =>
    dependants
      .filter(({ blocks }) => blocks)
      .map(({ kind, name, field }) => {
        const used = `"${table}${field === null ? '' : `.${field}`}"`;
        const remedy = `drop it by SQL, apply, and create it again`;
        return invalidPayload(
          `the ${kind} "${name}" uses ${used}, so that the database refuses the change; ${remedy}`,
        );
      }),
  );
  throwProblems(problems);
};

const fatesOf = (table: TableShape, { after, renames, printer }: TablesChange): readonly Fate[] => {
  const names = formerNames(renames);
  const former = names.table(table.name);
  const next = after.find(({ name }) => name === table.name);
  if (next === undefined) return [{ kind: 'drop', table: former, column: null }];
  const kept = new Set(next.columns.map(({ name }) => name));
  const replaced = new Set(printer.replacedColumns?.(table, next));
  const fates = table.columns.flatMap(({ name }): Fate[] => {
    const column = names.column(table.name, name);
    const fate = (kind: Fate['kind']): Fate => ({ kind, table: former, column });
    if (!kept.has(name)) return [fate('drop')];
    return [...(column === name ? [] : [fate('rename')]), ...(replaced.has(name) ? [fate('replace')] : [])];
  });
  return [
    ...(former === table.name ? [] : [{ kind: 'rename', table: former, column: null } as const]),
    ...fates,
  ];
};

/** Returns whether the database refuses a change because of a view or trigger, or null where that goes on working. */
const effectOf = (
  { uses, sql, table: own }: ViewOrTrigger,
  { kind, table, column }: Fate,
  { renamesInViews }: SchemaPrinter,
): boolean | null => {
  // the triggers of a table go with it
  if (column === null && own === table) return null;
  const isUsed = uses?.some((used) => used.table === table && (column === null || used.column === column));
  if (isUsed === true && kind !== 'rename') return true;
  if (kind === 'replace' || (kind === 'rename' && renamesInViews)) return null;
  const words = wordsOf(sql);
  const isNamed = own === table || words.has(fold(table));
  return isNamed && (column === null || words.has(fold(column))) ? false : null;
};

/** One word too many rather than one too few. */
const wordsOf = (sql: string): ReadonlySet<string> =>
  // text in quotes of any kind is one word, so that names with blanks are found
  new Set(
    (sql.match(/`[^`]+`|"[^"]+"|[\p{L}\p{N}_$]+/gu) ?? []).map((word) => fold(word.replaceAll(/[`"]/g, ''))),
  );

const fold = (name: string): string => name.toLowerCase();

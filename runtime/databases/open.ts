/** Loads the folder of a database by URL or dialect; the only file that names the folders. */
import type {
  Database,
  DatabaseFolder,
  DatabaseOptions,
  DdlPrinter,
  DialectName,
  DialectModules,
  KnexBinding,
  SchemaPrinter,
  SqlDialect,
} from './contract.js';

interface Entry {
  readonly schemes: readonly string[];
  readonly dialects: readonly DialectName[];
  load(): Promise<{ readonly folder: DatabaseFolder }>;
}

const known = [
  { schemes: ['mysql'], dialects: ['mariadb', 'mysql'], load: () => import('./mysql/index.js') },
  { schemes: ['postgres', 'postgresql'], dialects: ['postgres'], load: () => import('./postgres/index.js') },
  { schemes: ['sqlite'], dialects: ['sqlite'], load: () => import('./sqlite/index.js') },
] as const satisfies readonly Entry[];

const entries: readonly Entry[] = known;

/** Returns the entry of a dialect; its type makes the compiler name a dialect without one. */
const entryOf = (name: (typeof known)[number]['dialects'][number]): Entry =>
  entries.find(({ dialects }) => dialects.includes(name)) as Entry;

/** Loads the folder of a database URL. @throws Error with the supported schemes for any other scheme */
export const loadFolder = async (url: string): Promise<DatabaseFolder> => {
  const scheme = url.slice(0, url.indexOf(':'));
  const entry = entries.find(({ schemes }) => schemes.includes(scheme));
  if (entry !== undefined) return (await entry.load()).folder;
  const expected = entries.flatMap(({ schemes }) => schemes).map((name) => `${name}:`);
  throw new Error(`DATABASE_URL begins with "${scheme}:"; expected one of ${expected.join(', ')}`);
};

/** Opens the database of `options.url` and loads only its driver. */
export const openDatabase = async (options: DatabaseOptions): Promise<Database> =>
  (await loadFolder(options.url)).open(options);

/** Returns the Knex configuration of the database of `options.url`. */
export const bindKnex = async (options: DatabaseOptions): Promise<KnexBinding> =>
  (await loadFolder(options.url)).bindKnex(options);

const loadModules = async (name: DialectName): Promise<DialectModules> => {
  const { folder } = await entryOf(name).load();
  return folder.dialects[name] as DialectModules;
};

/** Returns the SQL of a database, by its dialect. */
export const loadDialect = async (name: DialectName): Promise<SqlDialect> => (await loadModules(name)).sql;

/** Returns the DDL of system tables. */
export const loadDdlPrinter = async (name: DialectName): Promise<DdlPrinter> => (await loadModules(name)).ddl;

/** Returns the DDL of a team's own tables, for snapshots and applies. */
export const loadSchemaPrinter = async (name: DialectName): Promise<SchemaPrinter> =>
  (await loadModules(name)).schema;

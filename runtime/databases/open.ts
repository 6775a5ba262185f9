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

type Load = () => Promise<DatabaseFolder>;

const mysql: Load = async () => (await import('./mysql/index.js')).folder;
const postgres: Load = async () => (await import('./postgres/index.js')).folder;
const sqlite: Load = async () => (await import('./sqlite/index.js')).folder;

const byDialect: Readonly<Record<DialectName, Load>> = { mariadb: mysql, mysql, postgres, sqlite };
const byScheme: ReadonlyMap<string, Load> = new Map(
  Object.entries({ mysql, postgres, postgresql: postgres, sqlite }),
);

/** Loads the folder of a database URL. @throws Error with the supported schemes for any other scheme */
export const loadFolder = (url: string): Promise<DatabaseFolder> => {
  const scheme = url.slice(0, url.indexOf(':'));
  const load = byScheme.get(scheme);
  if (load !== undefined) return load();
  throw new Error(
    `DATABASE_URL begins with "${scheme}:"; expected sqlite:PATH, mysql://… or postgres://user:password@host:port/database`,
  );
};

/** Opens the database of `options.url` and loads only its driver. */
export const openDatabase = async (options: DatabaseOptions): Promise<Database> =>
  (await loadFolder(options.url)).open(options);

/** Returns the Knex configuration of the database of `options.url`. */
export const bindKnex = async (options: DatabaseOptions): Promise<KnexBinding> =>
  (await loadFolder(options.url)).bindKnex(options);

const loadModules = async (name: DialectName): Promise<DialectModules> => {
  const { dialects } = await byDialect[name]();
  return dialects[name] as DialectModules;
};

/** Returns the SQL of a database, by its dialect. */
export const loadDialect = async (name: DialectName): Promise<SqlDialect> => (await loadModules(name)).sql;

/** Returns the DDL of system tables. */
export const loadDdlPrinter = async (name: DialectName): Promise<DdlPrinter> => (await loadModules(name)).ddl;

/** Returns the DDL of a team's own tables, for snapshots and applies. */
export const loadSchemaPrinter = async (name: DialectName): Promise<SchemaPrinter> =>
  (await loadModules(name)).schema;

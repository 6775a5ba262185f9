/** Loads a database's folder by a URL or by the name of a dialect: the one file that names the folders. */
import type {
  Database,
  DatabaseFolder,
  DatabaseOptions,
  DdlPrinter,
  DialectName,
  DialectParts,
  KnexBinding,
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

/** @throws Error naming the schemes that there are */
export const loadFolder = (url: string): Promise<DatabaseFolder> => {
  const scheme = url.slice(0, url.indexOf(':'));
  const load = byScheme.get(scheme);
  if (load !== undefined) return load();
  throw new Error(
    `DATABASE_URL begins with "${scheme}:"; expected sqlite:PATH, mysql://… or postgres://user:password@host:port/database`,
  );
};

/** Opens the database of `options.url`; loads only its driver. */
export const openDatabase = async (options: DatabaseOptions): Promise<Database> =>
  (await loadFolder(options.url)).open(options);

/** Returns the Knex configuration of the database of `options.url`. */
export const bindKnex = async (options: DatabaseOptions): Promise<KnexBinding> =>
  (await loadFolder(options.url)).bindKnex(options);

const loadParts = async (name: DialectName): Promise<DialectParts> => {
  const { dialects } = await byDialect[name]();
  return dialects[name] as DialectParts;
};

export const loadDialect = async (name: DialectName): Promise<SqlDialect> => (await loadParts(name)).sql;

export const loadDdlPrinter = async (name: DialectName): Promise<DdlPrinter> => (await loadParts(name)).ddl;

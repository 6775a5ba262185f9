/** Reads the schema of a live database for snapshots and applies. */
import { introspect, readDetails } from '../../generator/introspection/index.js';
import type { CatalogReader, IntrospectOptions } from '../../generator/introspection/catalog.js';
import type { BindValue, Database, DialectName, Executor } from '../databases/contract.js';
import { loadSchemaPrinter } from '../databases/open.js';
import { catalogToShapes } from './catalog-shapes.js';
import type { LiveSchema } from './snapshot/write.js';

export interface LiveOptions {
  readonly dialect: DialectName;
  readonly tables: IntrospectOptions;
}

/** Prefix of the system tables. */
const systemPrefix = 'svc_';

/** Returns the reader with which introspection queries one connection, or those of a pool. */
export const catalogReader = (executor: Pick<Executor, 'query'>, dialect: DialectName): CatalogReader => ({
  dialect,
  query: (sql, values = []) => executor.query(sql, values as readonly BindValue[]),
});

/** Reads the schema on one connection, or on those of a pool. */
export const readLiveSchema = async (
  executor: Pick<Executor, 'query'>,
  { dialect, tables }: LiveOptions,
): Promise<LiveSchema> => {
  const reader = catalogReader(executor, dialect);
  const catalog = await introspect(reader, tables);
  const [details, known] = await Promise.all([readDetails(reader), loadSchemaPrinter(dialect)]);
  const printer = (details.types && known.withTypes?.(details.types)) ?? known;
  const names = catalog.tables.map(({ name }) => name);
  return {
    catalog,
    shapes: catalogToShapes(catalog, details, printer),
    printer,
    collation: details.collation,
    systemTables: new Set(names.filter((name) => name.startsWith(systemPrefix))),
  };
};

/** Reads the schema of a database, on the connections of its pool. */
export const readLive = ({
  database,
  tables,
}: {
  readonly database: Database;
  readonly tables: LiveOptions['tables'];
}): Promise<LiveSchema> => readLiveSchema(database, { dialect: database.dialect, tables });

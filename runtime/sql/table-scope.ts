/** Creates the scope of statements that name their table once, without an alias. */
import type { Collection } from '../../contract/collection.js';
import type { SqlDialect } from '../databases/contract.js';
import { createCompiler, type SqlScope } from './condition.js';

/** Returns a scope whose alias is the table's own name, as in INSERT and UPDATE. */
export const createTableScope = (collection: Collection, dialect: SqlDialect): SqlScope => ({
  compiler: createCompiler(dialect),
  alias: dialect.quote(collection.name),
  trail: '',
  joins: new Map(),
});

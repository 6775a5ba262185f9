/**
 * Generated Objection models on a live database: the typed handle of a collection for a team's own code.
 * Requests never come this way; Knex and Objection are loaded only where models are bound.
 */
import { createRequire } from 'node:module';
import type { Knex } from 'knex';
import type { Model, Pojo } from 'objection';
import type { CollectionDeclaration, Field, FieldDeclaration } from '../../contract/collection.js';
import { cellToJson, type CellValue } from '../execute/cells.js';
import type { DatabaseOptions, DialectName } from '../databases/contract.js';
import { arrayToJson } from '../databases/postgres/arrays.js';
import { isArray } from '../plan/elements.js';
import { readValue } from '../plan/values.js';
import type { SqlDialect } from '../databases/sql-dialect.js';
import { loadDialect } from '../databases/dialects.js';

export interface BoundModels {
  /** For transactions and for whatever models do not say. */
  readonly knex: Knex;
  /** Closes the connections. The models are bound to nothing useful afterwards. */
  close(): Promise<void>;
}

/**
 * Binds the model of every collection to the database of `options.url` (as in `DATABASE_URL`): from then on
 * `Track.query()` runs there. Rows come, and are written, in the wire form that their types promise; values that
 * the API conceals are there as they are stored, and no permission is asked.
 * @throws Error naming the collections that have no model: those of a build have none, those of `generated/server` do
 */
export const bindModels = async (
  collections: readonly CollectionDeclaration[],
  options: DatabaseOptions,
): Promise<BoundModels> => {
  const models = collections.map(requireModel);
  const { knex, dialect } = await openKnex(options);
  collections.forEach((collection, index) => {
    const model = models[index] as typeof Model;
    convertRows(model, collection, dialect);
    model.knex(knex);
  });
  return { knex, close: () => knex.destroy() };
};

const requireModel = ({ name, model }: CollectionDeclaration): typeof Model => {
  const found = model as typeof Model | undefined;
  if (typeof found?.knex === 'function') return found;
  throw new Error(`"${name}" has no model; bind the collections of generated/server, not those of a build`);
};

interface OpenKnex {
  readonly knex: Knex;
  readonly dialect: SqlDialect;
}

const openKnex = async (options: DatabaseOptions): Promise<OpenKnex> => {
  const { default: createKnex } = await import('knex');
  if (options.url.startsWith('sqlite:')) {
    return { knex: createKnex(await sqliteConfig(options)), dialect: await loadDialect('sqlite') };
  }
  if (options.url.startsWith('postgres')) {
    return { knex: createKnex(await postgresConfig(options)), dialect: await loadDialect('postgres') };
  }
  const { name, ...config } = await mysqlConfig(options);
  return { knex: createKnex(config), dialect: await loadDialect(name) };
};

/** libsql has the interface of better-sqlite3, so the dialect of that serves. One connection: more would block it. */
const sqliteConfig = async ({ url }: DatabaseOptions): Promise<Knex.Config> => {
  const { openConnection } = await import('../databases/sqlite/connection.js');
  const filename = url.slice('sqlite:'.length);
  const Dialect = createRequire(import.meta.url)('knex/lib/dialects/better-sqlite3') as typeof Knex.Client;
  class LibsqlDialect extends Dialect {
    _driver(): object {
      return {};
    }

    override async acquireRawConnection(): Promise<unknown> {
      const connection = openConnection(filename);
      connection.defaultSafeIntegers(true);
      return connection;
    }
  }
  return {
    client: LibsqlDialect,
    connection: { filename },
    useNullAsDefault: true,
    pool: { min: 1, max: 1 },
  };
};

const mysqlConfig = async (
  options: DatabaseOptions,
): Promise<Knex.Config & { readonly name: DialectName }> => {
  const { dialectOf, poolOptions, sessionSetup } = await import('../databases/mysql/connection.js');
  const { connectionLimit: max, ...connection } = poolOptions(options);
  const name = await dialectOf(options);
  const setup = sessionSetup(name, options.statementTimeout ?? 0);
  return {
    name,
    client: 'mysql2',
    connection: connection as object,
    pool: {
      min: 0,
      max: max ?? 10,
      afterCreate: (raw: { query(text: string, done: (error: unknown) => void): void }, done: () => void) => {
        raw.query(setup, done);
      },
    },
  };
};

const postgresConfig = async (options: DatabaseOptions): Promise<Knex.Config> => {
  const { clientOptions, sessionSetup } = await import('../databases/postgres/options.js');
  const { textToCell } = await import('../databases/postgres/values.js');
  const types = { getTypeParser: (oid: number) => (text: string) => textToCell(text, oid) };
  return {
    client: 'pg',
    connection: { ...clientOptions(options), types } as object,
    pool: {
      min: 0,
      max: options.poolMax ?? 10,
      afterCreate: (raw: { query(text: string, done: (error: unknown) => void): void }, done: () => void) => {
        raw.query(sessionSetup(options), done);
      },
    },
  };
};

/** The dialect a converting class writes for: the one it was bound to last. */
const dialects = new WeakMap<object, SqlDialect>();

/** Makes a class read rows into wire form and write them from it. */
const convertRows = (model: typeof Model, { fields }: CollectionDeclaration, dialect: SqlDialect): void => {
  const isConverting = dialects.has(model);
  dialects.set(model, dialect);
  if (isConverting) return;
  const { $parseDatabaseJson: parse, $formatDatabaseJson: format } = model.prototype;
  const convert = (
    json: Pojo,
    change: (field: FieldDeclaration, value: unknown, name: string) => unknown,
  ): Pojo =>
    Object.fromEntries(
      Object.entries(json).map(([name, value]) => {
        const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
        return [name, field === undefined ? plainNumber(value) : change(field, value, name)];
      }),
    );
  model.prototype.$parseDatabaseJson = function parseRow(this: Model, json: Pojo): Pojo {
    return parse.call(this, convert(json, toWire));
  };
  model.prototype.$formatDatabaseJson = function formatRow(this: Model, json: Pojo): Pojo {
    const current = dialects.get(model) ?? dialect;
    return convert(format.call(this, json), (field, value, name) =>
      fromWire({ ...field, name }, value, current),
    );
  };
};

/** Counts and sums are nobody's field: numbers, as far as they are exact. */
const plainNumber = (value: unknown): unknown =>
  typeof value === 'bigint' && Number.isSafeInteger(Number(value)) ? Number(value) : value;

/** What is concealed from others shows here. */
const toWire = ({ conceal: _conceal, hash: _hash, ...shape }: FieldDeclaration, value: unknown): unknown => {
  if (value === null || value === undefined) return value;
  const { type } = shape;
  const field = { ...shape, name: '' };
  if (isArray(shape)) return JSON.parse(arrayToJson(shape)(String(value))) as unknown;
  return JSON.parse(cellToJson(field)(toCell(type, value))) as unknown;
};

/** Bytes come as ArrayBuffer from libsql, bits as bytes from mysql2. */
const toCell = (type: Field['type'], value: unknown): CellValue => {
  if (value instanceof ArrayBuffer) return Buffer.from(value);
  const isNumber = type === 'boolean' || type === 'integer' || type === 'bigInteger';
  if (isNumber && Buffer.isBuffer(value)) return BigInt(`0x${value.toString('hex') || '0'}`);
  return value as CellValue;
};

/** @throws Error naming the field and what it takes */
const fromWire = (field: Field, value: unknown, dialect: SqlDialect): unknown => {
  if (value === null || value === undefined) return value;
  const read = readValue(field, value);
  if (!read.ok) throw new Error(`"${field.name}" takes ${read.expected}`);
  return dialect.bind(field, read.value);
};

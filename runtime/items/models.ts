/**
 * Binds generated Objection models to a database, for application code. HTTP requests do not use them; Knex and
 * Objection are loaded only when models are bound.
 */
import type { Knex } from 'knex';
import type { Model, Pojo } from 'objection';
import type { CollectionDeclaration, Field } from '../../contract/collection.js';
import type { FieldDeclaration } from '../../contract/fields.js';
import type { DatabaseOptions, KnexBinding } from '../databases/contract.js';
import { bindKnex } from '../databases/open.js';
import { readValue } from '../plan/values.js';

export interface BoundModels {
  /** Knex instance, for transactions and queries that models do not cover. */
  readonly knex: Knex;
  /** Closes the connections; the models cannot be used afterwards. */
  close(): Promise<void>;
}

/**
 * Binds the model of every collection to the database of `options.url` (as in `DATABASE_URL`), where `Track.query()`
 * then runs. Rows are read and written in the wire format of their types. Concealed values are not masked, and no
 * permissions are checked.
 * @throws Error naming a collection without a model: use the collections of `generated/server`, not those of a build
 */
export const bindModels = async (
  collections: readonly CollectionDeclaration[],
  options: DatabaseOptions,
): Promise<BoundModels> => {
  const models = collections.map(requireModel);
  const { default: createKnex } = await import('knex');
  const binding = await bindKnex(options);
  const knex = createKnex(binding.config);
  collections.forEach((collection, index) => {
    const model = models[index] as typeof Model;
    convertRows(model, collection, binding);
    model.knex(knex);
  });
  return { knex, close: () => knex.destroy() };
};

const requireModel = ({ name, model }: CollectionDeclaration): typeof Model => {
  const found = model as typeof Model | undefined;
  if (typeof found?.knex === 'function') return found;
  throw new Error(`"${name}" has no model; bind the collections of generated/server, not those of a build`);
};

/** The database that a model class was bound to last. */
const bindings = new WeakMap<object, KnexBinding>();

/** Makes a model class convert rows from and to the wire format. */
const convertRows = (model: typeof Model, { fields }: CollectionDeclaration, binding: KnexBinding): void => {
  const isConverting = bindings.has(model);
  bindings.set(model, binding);
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
    const { toJson } = bindings.get(model) ?? binding;
    return parse.call(
      this,
      convert(json, (field, value) => toWire(field, value, toJson)),
    );
  };
  model.prototype.$formatDatabaseJson = function formatRow(this: Model, json: Pojo): Pojo {
    const { sql } = bindings.get(model) ?? binding;
    return convert(format.call(this, json), (field, value, name) => fromWire({ ...field, name }, value, sql));
  };
};

/** Converts a value that is not a field, such as a count or sum: to a number if that is exact. */
const plainNumber = (value: unknown): unknown =>
  typeof value === 'bigint' && Number.isSafeInteger(Number(value)) ? Number(value) : value;

/** Converts a stored value to its wire format, without masking. */
const toWire = (
  { conceal: _conceal, hash: _hash, ...shape }: FieldDeclaration,
  value: unknown,
  toJson: KnexBinding['toJson'],
): unknown => {
  if (value === null || value === undefined) return value;
  return JSON.parse(toJson({ ...shape, name: '' }, value)) as unknown;
};

/** Converts a value from its wire format. @throws Error naming the field and the expected format */
const fromWire = (field: Field, value: unknown, dialect: KnexBinding['sql']): unknown => {
  if (value === null || value === undefined) return value;
  const read = readValue(field, value);
  if (!read.ok) throw new Error(`"${field.name}" must be ${read.expected}`);
  return dialect.bind(field, read.value);
};

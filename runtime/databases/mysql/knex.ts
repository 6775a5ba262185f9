/** Configures Knex for MySQL and MariaDB, for Objection models. */
import type { Field } from '../../../contract/collection.js';
import { cellToJson, type CellValue } from '../../execute/cells.js';
import type { DatabaseOptions, KnexBinding } from '../contract.js';
import { byteFormats } from './geometry.js';
import { dialectOf } from './connection.js';
import { poolOptions, sessionSetup } from './options.js';

/** Returns the settings of a Knex instance with a pool of its own, beside the one that serves requests. */
export const bindKnex = async (options: DatabaseOptions): Promise<KnexBinding> => {
  const { connectionLimit: max, ...connection } = poolOptions(options);
  const dialect = await dialectOf(options);
  const setup = sessionSetup(dialect.name, options.statementTimeout ?? 0);
  return {
    sql: dialect,
    config: {
      client: 'mysql2',
      connection: { ...(connection as object), typeCast: readBytes },
      pool: {
        min: 0,
        max: max ?? 10,
        afterCreate: (
          raw: { query(text: string, done: (error: unknown) => void): void },
          done: () => void,
        ) => {
          raw.query(setup, done);
        },
      },
    },
    toJson(field, value) {
      const format = byteFormats[field.type];
      return format === undefined ? cellToJson(field)(toCell(field, value)) : format.toJson(value as Buffer);
    },
  };
};

interface DriverValue {
  readonly type: string;
  buffer(): Buffer | null;
}

const byteTypes: ReadonlySet<string> = new Set(
  Object.values(byteFormats).map(({ driverType }) => driverType),
);

/** Reads values in a format of the database as bytes; the driver would parse geometries, and decode vectors as text. */
const readBytes = (value: DriverValue, parse: () => unknown): unknown =>
  byteTypes.has(value.type) ? value.buffer() : parse();

const numbers: ReadonlySet<Field['type']> = new Set(['boolean', 'integer', 'bigInteger'] as const);

/** Converts a BIT value, which the driver returns as bytes, to an integer. */
const toCell = ({ type }: Field, value: unknown): CellValue =>
  numbers.has(type) && Buffer.isBuffer(value)
    ? BigInt(`0x${value.toString('hex') || '0'}`)
    : (value as CellValue);

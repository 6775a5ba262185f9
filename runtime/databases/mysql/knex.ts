/** Configures Knex for MySQL and MariaDB, for Objection models. */
import type { Field } from '../../../contract/collection.js';
import { cellToJson, type CellValue } from '../../execute/cells.js';
import type { DatabaseOptions, KnexBinding } from '../contract.js';
import { geometryToJson, vectorToJson } from './geometry.js';
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
      if (field.type === 'geometry') return geometryToJson(value as Buffer);
      if (field.type === 'vector') return vectorToJson(value as Buffer);
      return cellToJson(field)(toCell(field, value));
    },
  };
};

interface DriverValue {
  readonly type: string;
  buffer(): Buffer | null;
}

/** Reads geometries and vectors as bytes; the driver would parse the former, and decode the latter as text. */
const readBytes = (value: DriverValue, parse: () => unknown): unknown =>
  value.type === 'GEOMETRY' || value.type === 'VECTOR' ? value.buffer() : parse();

const numbers: ReadonlySet<Field['type']> = new Set(['boolean', 'integer', 'bigInteger'] as const);

/** Converts a BIT value, which the driver returns as bytes, to an integer. */
const toCell = ({ type }: Field, value: unknown): CellValue =>
  numbers.has(type) && Buffer.isBuffer(value)
    ? BigInt(`0x${value.toString('hex') || '0'}`)
    : (value as CellValue);

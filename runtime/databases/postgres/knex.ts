/** Configures Knex for PostgreSQL, for Objection models. */
import { cellToJson, type CellValue } from '../../execute/cells.js';
import type { DatabaseOptions, KnexBinding } from '../contract.js';
import { arrayToJson, separatorOf } from './arrays.js';
import { postgres } from './dialect.js';
import { clientOptions, sessionSetup } from './options.js';
import { textToCell } from './values.js';

/**
 * Returns the settings of a Knex instance with a pool of its own; values are parsed as the REST API shows
 * them.
 */
export const bindKnex = async (options: DatabaseOptions): Promise<KnexBinding> => {
  const types = { getTypeParser: (oid: number) => (text: string) => textToCell(text, oid) };
  return {
    sql: postgres,
    config: {
      client: 'pg',
      connection: { ...clientOptions(options), types } as object,
      pool: {
        min: 0,
        max: options.poolMax ?? 10,
        afterCreate: (
          raw: { query(text: string, done: (error: unknown) => void): void },
          done: () => void,
        ) => {
          raw.query(sessionSetup(options), done);
        },
      },
    },
    toJson: (field, value) =>
      field.element === undefined
        ? cellToJson(field)(value as CellValue)
        : arrayToJson(field.element, separatorOf(field))(String(value)),
  };
};

/** Types of columns that SQLite gets for new fields. */
import { newColumnTypes } from '../new-column-types.js';

/** Every integer type has 64 bits. */
export const integerBits: ReadonlyMap<string, number> = new Map(
  ['int', 'integer', 'tinyint', 'smallint', 'mediumint', 'bigint'].map((name) => [name, 64]),
);

/** Column types of new fields by field type. */
export const fieldTypes = newColumnTypes({
  string: { data_type: 'varchar', max_length: 255 },
  text: { data_type: 'text' },
  integer: { data_type: 'integer' },
  bigInteger: { data_type: 'bigint' },
  float: { data_type: 'double' },
  decimal: { data_type: 'decimal', numeric_precision: 10, numeric_scale: 5 },
  boolean: { data_type: 'boolean' },
  date: { data_type: 'date' },
  dateTime: { data_type: 'datetime' },
  time: { data_type: 'time' },
  timestamp: { data_type: 'timestamp' },
  uuid: { data_type: 'char', max_length: 36 },
  json: { data_type: 'json' },
  csv: { data_type: 'text' },
  hash: { data_type: 'varchar', max_length: 255 },
  binary: { data_type: 'blob' },
  geometry: null,
  vector: null,
  unknown: null,
});

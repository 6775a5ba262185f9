/** Compiles values that are computed from a column: parts of dates and times, and lengths. */
import type { Field } from '../../contract/collection.js';
import { invalidQuery } from '../../contract/errors.js';
import type { Computed } from '../plan/types.js';
import type { SqlDialect } from '../databases/contract.js';
import { offsetsOf, type Offset } from './time-zones.js';

type FromColumn = Exclude<Computed, { kind: 'rows' | 'output' }>;

/** Compiles a value that is computed from a column. @throws INVALID_QUERY where a text is to be counted as JSON */
export const compileComputed = (computed: FromColumn, column: string, dialect: SqlDialect): string => {
  const { source } = computed;
  if (computed.kind === 'part') return dialect.datePart(computed.part, momentOf(column, computed, dialect));
  if (computed.kind === 'position') return dialect.enumPosition?.(column) ?? column;
  if (computed.kind === 'json')
    return dialect.jsonAt(column, source, computed.path)?.[computed.as] ?? refuseText('json', source);
  return dialect.jsonLength(column, source) ?? refuseText('count', source);
};

const refuseText = (name: string, source: Field): never => {
  throw invalidQuery(`${name}() needs a column of JSON; "${source.name}" is stored as text`);
};

/** Returns the moment of a column, shifted from UTC to the zone. Only timestamps are moments of all zones. */
const momentOf = (
  column: string,
  { source, zone }: { readonly source: Field; readonly zone: string | null },
  dialect: SqlDialect,
): string => {
  const moment = dialect.moment(column, source);
  if (zone === null || source.type !== 'timestamp') return moment;
  return dialect.addSeconds(moment, chooseOffset(moment, offsetsOf(zone)));
};

/** Returns SQL that finds the offset of a moment by bisection, so that a row costs few comparisons. */
const chooseOffset = (moment: string, offsets: readonly Offset[]): string => {
  if (offsets.length <= 1) return String(offsets[0]?.seconds ?? 0);
  const middle = Math.ceil(offsets.length / 2);
  const start = new Date(offsets[middle]?.from ?? 0).toISOString().slice(0, 19).replace('T', ' ');
  const [before, after] = [offsets.slice(0, middle), offsets.slice(middle)];
  return `case when ${moment} < '${start}' then ${chooseOffset(moment, before)} else ${chooseOffset(moment, after)} end`;
};

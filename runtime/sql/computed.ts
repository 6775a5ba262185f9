/** Compiles computed values: parts of dates and times, and counts. */
import type { Field } from '../../contract/collection.js';
import { invalidQuery } from '../../contract/errors.js';
import type { Computed } from '../plan/types.js';
import { columnOf, compileChildren, type SqlScope } from './condition.js';
import { sql, type Sql } from './fragment.js';
import { offsetsOf, type Offset } from './time-zones.js';

export const compileComputed = (computed: Computed, scope: SqlScope): Sql => {
  const { dialect } = scope.compiler;
  if (computed.kind === 'rows') return sql`(select count(*) ${compileChildren(computed, scope)})`;
  const { source } = computed;
  const column = columnOf(scope.compiler, scope.alias, source.name);
  if (computed.kind === 'part') return [dialect.datePart(computed.part, momentOf(column, computed, scope))];
  const length = dialect.jsonLength(column, source);
  if (length === null)
    throw invalidQuery(`count() needs a column of JSON; "${source.name}" is stored as text`);
  return [length];
};

/** Returns the moment of a column, shifted from UTC to the zone. Only timestamps are moments of all zones. */
const momentOf = (
  column: string,
  { source, zone }: { readonly source: Field; readonly zone: string | null },
  { compiler: { dialect } }: SqlScope,
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

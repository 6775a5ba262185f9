/** What a singleton answers while its table is empty: its defaults, and no key. */
import { JsonRows } from '../execute/row-set.js';
import type { ReadPlan } from '../plan/types.js';

export const defaultItem = ({ collection, select }: ReadPlan): JsonRows => {
  if (select.kind === 'key') return JsonRows.of(Buffer.from('null'));
  const isKey = (name: string): boolean => collection.key.some((field) => field.name === name);
  const entries = select.entries.map((entry): [string, unknown] => {
    if (entry.kind === 'constant') return [entry.name, JSON.parse(entry.json)];
    if (entry.kind === 'many') return [entry.name, []];
    if (entry.kind === 'one' || isKey(entry.field.name)) return [entry.name, null];
    return [entry.name, entry.field.default ?? null];
  });
  return JsonRows.of(
    Buffer.from(
      `{${entries.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join(',')}}`,
    ),
  );
};

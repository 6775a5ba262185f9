/** Which filter operators a field knows, by its type. */
import type { Field, FieldType } from '../../model/types.js';

const nullness = ['null', 'nnull'];
const emptiness = ['empty', 'nempty', ...nullness];
const equality = ['eq', 'neq', 'in', 'nin', ...nullness];
const ordered = [...equality, 'lt', 'lte', 'gt', 'gte', 'between', 'nbetween'];
const matching = ['contains', 'starts_with', 'ends_with'].flatMap((name) => [
  name,
  `n${name}`,
  `i${name}`,
  `ni${name}`,
]);
const texts = [...equality, 'empty', 'nempty', ...matching];

const byType: Readonly<Record<FieldType, readonly string[]>> = {
  string: texts,
  text: texts,
  csv: texts,
  uuid: equality,
  binary: equality,
  integer: ordered,
  bigInteger: ordered,
  float: ordered,
  decimal: ordered,
  date: ordered,
  time: ordered,
  dateTime: ordered,
  timestamp: ordered,
  boolean: ['eq', 'neq', ...nullness],
  json: nullness,
  unknown: nullness,
};

/** Operators as clients write them: `_eq`. Of a concealed value one may only ask whether there is one. */
export const operatorsOf = ({ type, conceal, hash }: Field): readonly string[] =>
  (conceal || hash ? emptiness : byType[type]).map((name) => `_${name}`);

/** Terms of aggregations and calls: a field, a path over relations to one item, or a call such as `year(written)`. */
import type { Collection, Field, ToOne } from '../../../contract/collection.js';
import { functionsOf, parseCall, resultName } from '../../../contract/functions.js';
import { checkPath, Forbidden } from './names.js';
import { resolve } from './reference.js';
import type { Row } from './rows.js';
import { canRead, cellOf, mayUse, relatedRow, relatedRows, shows, type Place } from './visible.js';

/** A field, a path such as `author.born`, or a call such as `year(written)`. */
export type Term = string;

export const callsOn = ({ fields, relations }: Collection): readonly Term[] => [
  ...[...fields.values()].flatMap(({ name, type }) =>
    type === 'json' ? [] : functionsOf(type).map((called) => `${called}(${name})`),
  ),
  ...[...relations.values()].flatMap(({ kind, name }) => (kind === 'oneToMany' ? [`count(${name})`] : [])),
];

/** Names of fields, and of those of the items that relations to one item lead to. */
export const namesOn = (collection: Collection, isTaken: (field: Field) => boolean): readonly Term[] => [
  ...ownNames(collection, isTaken),
  ...toOnes(collection).flatMap((relation) =>
    ownNames(relation.collection, isTaken).map((name) => `${relation.name}.${name}`),
  ),
];

const ownNames = ({ fields }: Collection, isTaken: (field: Field) => boolean): readonly Term[] =>
  [...fields.values()].filter(isTaken).map(({ name }) => name);

const toOnes = ({ relations, anyTargets }: Collection): readonly ToOne[] => [
  ...[...relations.values()].flatMap((relation) => (relation.kind === 'manyToOne' ? [relation] : [])),
  ...anyTargets.values(),
];

/** @throws Forbidden */
export const checkTerm = (term: Term, place: Place): void => {
  const { world, collection } = place;
  const call = parseCall(term);
  if (call === null) return checkPath(term.split('.'), place);
  const relation = collection.relations.get(call.argument);
  if (!mayUse(world, collection, call.argument)) throw new Forbidden();
  if (relation?.kind === 'oneToMany' && !canRead(world, relation.collection)) throw new Forbidden();
};

/** The key of a term in an answer. */
export const keyOf = (term: Term): string => {
  const call = parseCall(term);
  return call === null ? term : resultName(call);
};

/** The field whose values a term has; a call has numbers. */
export const fieldOf = (term: Term, { fields, relations, anyTargets }: Collection): Field | undefined => {
  const [name = '', ...rest] = term.split('.');
  if (rest.length === 0) return fields.get(name);
  const relation = (relations.get(name) ?? anyTargets.get(name)) as ToOne;
  return relation.collection.fields.get(rest.join('.'));
};

export const valueOf = (term: Term, row: Row, place: Place): unknown => {
  const call = parseCall(term);
  if (call === null) return resolve(term.split('.'), row, place).value;
  const relation = place.collection.relations.get(call.argument);
  if (relation?.kind === 'oneToMany') return relatedRows(relation, row, place)?.length ?? null;
  const cell = cellOf(call.argument, row, place);
  return cell === null ? null : partOf(call.name, String(cell));
};

/** Returns whether no rule hides the value from the viewer; where no item is related, the value is null. */
export const isShown = (term: Term, row: Row, place: Place): boolean => {
  const { world, collection } = place;
  const call = parseCall(term);
  const [name = '', ...rest] = call === null ? term.split('.') : [call.argument];
  if (!shows(world, collection, { name, row })) return false;
  if (rest.length === 0) return true;
  const relation = (collection.relations.get(name) ?? collection.anyTargets.get(name)) as ToOne;
  const related = relatedRow(relation, row, place);
  return related === null || isShown(rest.join('.'), related, { world, collection: relation.collection });
};

const partOf = (part: string, text: string): number => {
  const isClock = /^\d\d:/.test(text);
  const clock = /(\d\d):(\d\d):(\d\d)/.exec(text)?.slice(1).map(Number) ?? [0, 0, 0];
  if (part === 'hour' || part === 'minute' || part === 'second')
    return clock[['hour', 'minute', 'second'].indexOf(part)] ?? 0;
  if (isClock) throw new Error(`a time has no ${part}`);
  const date = new Date(`${text.slice(0, 10)}T00:00:00Z`);
  const year = date.getUTCFullYear();
  const first = new Date(`${text.slice(0, 4)}-01-01T00:00:00Z`);
  const dayOfYear = Math.round((date.getTime() - first.getTime()) / 86_400_000);
  switch (part) {
    case 'year':
      return year;
    case 'month':
      return date.getUTCMonth() + 1;
    case 'day':
      return date.getUTCDate();
    case 'weekday':
      return date.getUTCDay() + 1;
    default:
      return Math.floor((dayOfYear + 7 - date.getUTCDay()) / 7);
  }
};

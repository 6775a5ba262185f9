/** Plans sort keys and paths over many-to-one relations. */
import { invalidQuery } from '../../contract/errors.js';
import { isMasked } from '../../contract/fields.js';
import type { SortKey } from '../request/query.js';
import { planColumn } from './filter.js';
import { readJsonAs } from './comparison.js';
import {
  crossRelation,
  findRelation,
  forbiddenField,
  hasDotted,
  isNamePermitted,
  joinOf,
  type Scope,
} from './scope.js';
import type { ColumnRef, Join, Order } from './types.js';

/** Resolves a leading `-` that belongs to the name of a column or relation called `-x`. */
const resolveSign = (key: SortKey, scope: Scope): SortKey => {
  if (!key.descending) return key;
  const [first = '', ...rest] = key.path;
  const column = `-${key.path.join('.')}`;
  const isName =
    (scope.collection.fields.has(column) && isNamePermitted(scope, column)) ||
    (rest.length > 0 && findRelation(scope, `-${first}`) !== undefined);
  return isName ? { path: [`-${first}`, ...rest], descending: false } : key;
};

/** Plans one key of `sort`, which is two for values of JSON. @throws FORBIDDEN, INVALID_QUERY */
export const planSortKey = (key: SortKey, start: Scope): readonly Order[] => {
  const { path, descending } = resolveSign(key, start);
  const column = planPath(path, start, 'sort');
  if (isMasked(column.field)) {
    throw invalidQuery(`"sort" cannot use "${path.join('.')}": its values are concealed`);
  }
  const { computed } = column;
  if (computed?.kind !== 'json') return [{ column, descending }];
  return (['number', 'text'] as const).map((as) => ({
    column: readJsonAs(column, computed, as),
    descending,
  }));
};

/** Follows a path over many-to-one relations to a column or a call. @throws FORBIDDEN, INVALID_QUERY */
export const planPath = (path: readonly string[], start: Scope, parameter: string): ColumnRef => {
  let scope = start;
  const joins: Join[] = [];
  let [name = '', ...rest] = path;
  for (const next of rest) {
    // the name of a column may contain a dot: `v1.0`
    if (findRelation(scope, name) === undefined && hasDotted(scope, `${name}.${next}`)) {
      name += `.${next}`;
      continue;
    }
    const relation = findRelation(scope, name);
    if (!isNamePermitted(scope, name)) throw forbiddenField(scope, name);
    if (relation?.kind === 'oneToMany') throw invalidQuery(`"${parameter}" cannot follow the list "${name}"`);
    if (relation?.kind === 'manyToAny')
      throw invalidQuery(
        `"${parameter}" takes "${name}" with a collection, as in "${relation.targets[0]?.name}"`,
      );
    if (relation === undefined) throw forbiddenField(scope, name);
    const target = crossRelation(scope, relation);
    if (target === null) throw forbiddenField(scope, name);
    joins.push(joinOf(relation, scope, target));
    scope = target;
    name = next;
  }
  return planColumn(name, { scope, path: joins });
};

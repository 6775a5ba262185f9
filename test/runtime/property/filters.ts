/** Filters as trees: made at random, written as a client writes them. What they mean stands in `reference`. */
import * as fc from 'fast-check';
import type { Collection, Field, Relation, ToMany, ToOne } from '../../../contract/collection.js';
import { operandOf, words, type Sent } from './values.js';

export type FilterTree =
  | { readonly kind: 'and' | 'or'; readonly parts: readonly FilterTree[] }
  | {
      readonly kind: 'compare';
      readonly field: Field;
      readonly operator: string;
      readonly operand: readonly Sent[];
    }
  | { readonly kind: 'one'; readonly relation: ToOne; readonly filter: FilterTree }
  | {
      readonly kind: 'many';
      readonly relation: ToMany;
      /** `plain`: none is written; `null`, `nnull`: the list itself is tested. */
      readonly quantifier: 'some' | 'none' | 'plain' | 'null' | 'nnull';
      /** `null`: an empty object. */
      readonly filter: FilterTree | null;
    };

const nullness = ['null', 'nnull'];
const emptiness = [...nullness, 'empty', 'nempty'];
const equality = ['eq', 'neq', 'in', 'nin'];
const ordering = ['lt', 'lte', 'gt', 'gte', 'between', 'nbetween'];
const matching = ['contains', 'icontains', 'starts_with', 'istarts_with', 'ends_with', 'iends_with'].flatMap(
  (name) => [name, `n${name}`],
);

/** As the contract has them, type by type. */
const operatorsOf = ({ type, conceal }: Field): readonly string[] => {
  if (conceal === true) return emptiness;
  switch (type) {
    case 'string':
    case 'text':
    case 'csv':
      return [...equality, ...matching, ...emptiness];
    case 'uuid':
    case 'binary':
      return [...equality, ...nullness];
    case 'boolean':
      return ['eq', 'neq', ...nullness];
    case 'json':
    case 'unknown':
      return nullness;
    default:
      return [...equality, ...ordering, ...nullness];
  }
};

/** Whose `person` column says who they are. */
export const currentPerson: Sent = { sent: '$CURRENT_USER.person', value: Symbol.for('person') };

const isPerson = ({ name, type }: Field): boolean =>
  type === 'integer' && ['author', 'recipient', 'mentor', 'id'].includes(name);

const compare = (field: Field): fc.Arbitrary<FilterTree> =>
  fc
    .constantFrom(...operatorsOf(field))
    .chain((operator) =>
      operandsFor(field, operator).map((operand) => ({ kind: 'compare', field, operator, operand })),
    );

const operandsFor = (field: Field, operator: string): fc.Arbitrary<readonly Sent[]> => {
  if (emptiness.includes(operator)) return fc.boolean().map((sent) => [{ sent, value: sent }]);
  if (matching.includes(operator)) return fc.constantFrom(...words).map((sent) => [{ sent, value: sent }]);
  const value = operandOf(field);
  if (operator === 'in' || operator === 'nin') return fc.array(value, { minLength: 1, maxLength: 5 });
  if (operator.endsWith('between')) return fc.tuple(value, value);
  const mayBePerson = isPerson(field) && (operator === 'eq' || operator === 'neq');
  return (mayBePerson ? fc.oneof(value, fc.constant(currentPerson)) : value).map((one) => [one]);
};

const through = (relation: Relation, depth: number): readonly fc.Arbitrary<FilterTree>[] => {
  if (relation.kind === 'manyToAny') return relation.targets.flatMap((target) => through(target, depth));
  const inner = filterOn(relation.collection, depth - 1);
  if (relation.kind === 'manyToOne') return [inner.map((filter) => ({ kind: 'one', relation, filter }))];
  const tested = fc
    .constantFrom('null' as const, 'nnull' as const)
    .map((quantifier) => ({ quantifier, filter: null }));
  const asked = fc.record({
    quantifier: fc.constantFrom('some' as const, 'none' as const, 'plain' as const),
    filter: fc.option(inner, { freq: 9 }),
  });
  const many = fc.oneof({ weight: 1, arbitrary: tested }, { weight: 9, arbitrary: asked });
  const twice = fc.tuple(inner, inner).map((filters): FilterTree => {
    const parts = filters.map((filter): FilterTree => ({
      kind: 'many',
      relation,
      quantifier: 'plain',
      filter,
    }));
    return { kind: 'and', parts };
  });
  return [
    many.map(({ quantifier, filter }): FilterTree => ({ kind: 'many', relation, quantifier, filter })),
    twice,
  ];
};

/** By depth. */
const cache = new WeakMap<Collection, Map<number, fc.Arbitrary<FilterTree>>>();

/** Filters that cross at most `depth` relations. */
export const filterOn = (collection: Collection, depth: number): fc.Arbitrary<FilterTree> => {
  const known = cache.get(collection) ?? new Map<number, fc.Arbitrary<FilterTree>>();
  cache.set(collection, known);
  const present = known.get(depth);
  if (present !== undefined) return present;
  const comparisons = [...collection.fields.values()].map(compare);
  const crossings =
    depth > 0 ? [...collection.relations.values()].flatMap((relation) => through(relation, depth)) : [];
  const leaf = fc.oneof(
    { weight: 3, arbitrary: fc.oneof(...comparisons) },
    ...crossings.map((arbitrary) => ({ weight: 1, arbitrary })),
  );
  const group = fc.record({
    kind: fc.constantFrom('and' as const, 'or' as const),
    parts: fc.array(leaf, { minLength: 1, maxLength: 3 }),
  });
  const made = fc.oneof({ weight: 2, arbitrary: leaf }, { weight: 1, arbitrary: group });
  known.set(depth, made);
  return made;
};

type Written = Record<string, unknown>;

/** As JSON of a client. */
export const writeFilter = (tree: FilterTree): Written => {
  switch (tree.kind) {
    case 'and':
    case 'or':
      return { [`_${tree.kind}`]: tree.parts.map(writeFilter) };
    case 'compare':
      return { [tree.field.name]: { [`_${tree.operator}`]: writeOperand(tree) } };
    case 'one':
      return { [tree.relation.name]: writeFilter(tree.filter) };
    case 'many':
      return { [tree.relation.name]: writeMany(tree) };
  }
};

const writeMany = ({ quantifier, filter }: Extract<FilterTree, { kind: 'many' }>): Written => {
  const inner = filter === null ? {} : writeFilter(filter);
  if (quantifier === 'plain') return inner;
  return { [`_${quantifier}`]: quantifier === 'some' || quantifier === 'none' ? inner : true };
};

const writeOperand = ({ operator, operand }: Extract<FilterTree, { kind: 'compare' }>): unknown => {
  const isList = ['in', 'nin', 'between', 'nbetween'].includes(operator);
  return isList ? operand.map(({ sent }) => sent) : operand[0]?.sent;
};

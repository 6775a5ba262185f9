/** Finds breaking changes between two models. */
import { fieldTypes } from '../../contract/field-types.js';
import type { Collection, Field, ManyToAny, ManyToOne, OneToMany, Operation } from './types.js';

export interface BreakingChange {
  readonly kind:
    | 'collection removed'
    | 'collection changed'
    | 'field removed'
    | 'field retyped'
    | 'field narrowed'
    | 'field required'
    | 'field nullable'
    | 'relation added'
    | 'relation removed'
    | 'relation changed'
    | 'operation removed'
    | 'operation changed';
  /** The changed collection, field or operation: `Album`, `Album.Title`, or the id of an operation. */
  readonly subject: string;
  /** A sentence such as `Album.Title was a string and is now an integer.` */
  readonly message: string;
}

/** The parts of a model that clients depend on. */
export interface ComparedModel {
  readonly collections: readonly ComparedCollection[];
  readonly operations: readonly Operation[];
}

export interface ComparedCollection extends Pick<Collection, 'name' | 'kind' | 'key' | 'singleton' | 'path'> {
  readonly fields: readonly ComparedField[];
  readonly relations: readonly ComparedRelation[];
}

export type ComparedField = Pick<
  Field,
  | 'name'
  | 'type'
  | 'dbType'
  | 'nullable'
  | 'required'
  | 'values'
  | 'length'
  | 'precision'
  | 'scale'
  | 'bits'
  | 'unsigned'
  | 'generated'
  | 'readonly'
>;

export type ComparedRelation =
  | Pick<ManyToOne, 'kind' | 'name' | 'target'>
  | Pick<OneToMany, 'kind' | 'name' | 'target'>
  | Pick<ManyToAny, 'kind' | 'name' | 'targets'>;

/**
 * Returns the breaking changes, in the order of the old model. That model is built from the stored catalog
 * with the current spec (`assembleModel`), so that only changes of the database are reported.
 */
export const compareModels = (previous: ComparedModel, next: ComparedModel): BreakingChange[] => {
  const collections = new Map(next.collections.map((collection) => [collection.name, collection]));
  const operations = new Map(next.operations.map((operation) => [operation.id, operation]));
  return [
    ...previous.collections.flatMap((before) => compareCollections(before, collections.get(before.name))),
    ...previous.operations.flatMap((before) => compareOperations(before, operations.get(before.id))),
  ];
};

const compareCollections = (
  before: ComparedCollection,
  after: ComparedCollection | undefined,
): BreakingChange[] => {
  const { name } = before;
  if (after === undefined) {
    return [{ kind: 'collection removed', subject: name, message: `${name} no longer exists.` }];
  }
  const changed = (message: string): BreakingChange => ({
    kind: 'collection changed',
    subject: name,
    message,
  });
  const changes: BreakingChange[] = [];
  if (before.kind === 'table' && after.kind === 'view')
    changes.push(changed(`${name} is a view now and cannot be written.`));
  if (before.key.join() !== after.key.join()) {
    changes.push(
      changed(`${name} was keyed by ${formatKey(before)} and is now keyed by ${formatKey(after)}.`),
    );
  }
  if (before.singleton !== after.singleton) {
    changes.push(changed(`${name} answers with ${after.singleton ? 'one object' : 'a list'} now.`));
  }
  if (before.path !== after.path) {
    changes.push(
      changed(`${name} was served at ${before.path ?? 'no path'} and is now at ${after.path ?? 'no path'}.`),
    );
  }
  return [...changes, ...compareAllFields(before, after), ...compareAllRelations(before, after)];
};

const formatKey = ({ key }: ComparedCollection): string => (key.length === 0 ? 'nothing' : key.join(', '));

const compareAllFields = (before: ComparedCollection, after: ComparedCollection): BreakingChange[] => {
  const old = new Map(before.fields.map((field) => [field.name, field]));
  const now = new Map(after.fields.map((field) => [field.name, field]));
  return [
    ...before.fields.flatMap((field) =>
      compareFields(`${before.name}.${field.name}`, field, now.get(field.name)),
    ),
    ...after.fields
      .filter((field) => field.required && old.get(field.name)?.required !== true)
      .map(({ name }): BreakingChange => {
        const subject = `${before.name}.${name}`;
        const state = old.has(name) ? 'is now required on create' : 'is new and required on create';
        return { kind: 'field required', subject, message: `${subject} ${state}.` };
      }),
  ];
};

const compareFields = (
  subject: string,
  before: ComparedField,
  after: ComparedField | undefined,
): BreakingChange[] => {
  const change = (kind: BreakingChange['kind'], message: string): BreakingChange => ({
    kind,
    subject,
    message,
  });
  if (after === undefined) return [change('field removed', `${subject} no longer exists.`)];
  if (!isSameType(before, after)) {
    return [
      change(
        'field retyped',
        `${subject} was ${typeWithArticle(before)} and is now ${typeWithArticle(after)}.`,
      ),
    ];
  }
  const changes = restrictions(before, after).map((restriction) =>
    change('field narrowed', `${subject} ${restriction}.`),
  );
  if (!before.nullable && after.nullable)
    changes.push(change('field nullable', `${subject} can now be null.`));
  return changes;
};

const isSameType = (before: ComparedField, after: ComparedField): boolean => {
  if (fieldTypes[before.type].isText === true && fieldTypes[after.type].isText === true) return true;
  const [old, now] = [elementOf(before), elementOf(after)];
  return before.type === after.type && (old === now || widened.get(old ?? '') === now);
};

/** Returns the database type of an array's elements without a length. */
const elementOf = ({ type, dbType }: ComparedField): string | null =>
  type === 'json' && dbType.endsWith('[]') ? dbType.slice(0, -'[]'.length).replace(/\(.*?\)/, '') : null;

/** Element types and the types that accept and return at least the same values. */
const widened: ReadonlyMap<string, string> = new Map([
  ['smallint', 'integer'],
  ['real', 'double precision'],
  ['character varying', 'text'],
]);

const typeWithArticle = (field: ComparedField): string => {
  const element = elementOf(field);
  if (element !== null) return `a list of ${element}`;
  return field.type === 'integer' || field.type === 'unknown' ? `an ${field.type}` : `a ${field.type}`;
};

/** Describes values that were accepted before and are now rejected or rounded. */
const restrictions = (before: ComparedField, after: ComparedField): string[] => {
  const restrictions: string[] = [];
  const removed = (before.values ?? []).filter((value) => after.values?.includes(value) === false);
  if (before.nullable && !after.nullable) restrictions.push('no longer accepts null');
  if (removed.length > 0) restrictions.push(`no longer accepts ${removed.join(', ')}`);
  if (before.values === null && after.values !== null)
    restrictions.push(`now accepts only ${after.values.join(', ')}`);
  if (isReduced(before.length, after.length))
    restrictions.push(`is now limited to a length of ${after.length} (${limit(before.length)})`);
  if (isReduced(wholeDigits(before), wholeDigits(after)))
    restrictions.push(
      `is now limited to ${wholeDigits(after)} digits before the decimal point (${limit(wholeDigits(before))})`,
    );
  if (isReduced(before.scale, after.scale))
    restrictions.push(
      `is now limited to ${after.scale} digits after the decimal point (${limit(before.scale)})`,
    );
  if (isReduced(before.bits, after.bits))
    restrictions.push(`is now limited to ${after.bits} bits (${limit(before.bits)})`);
  if (!before.unsigned && after.unsigned) restrictions.push('no longer accepts negative numbers');
  if (!before.generated && after.generated)
    restrictions.push('is now computed by the database and cannot be written');
  if (!before.readonly && after.readonly) restrictions.push('is now read-only');
  return restrictions;
};

/** Returns the digits before the decimal point. */
const wholeDigits = ({ precision, scale }: ComparedField): number | null =>
  precision === null ? null : precision - (scale ?? 0);

const isReduced = (before: number | null, after: number | null): boolean =>
  after !== null && (before === null || after < before);

const limit = (before: number | null): string => (before === null ? 'was unlimited' : `was ${before}`);

const compareAllRelations = (before: ComparedCollection, after: ComparedCollection): BreakingChange[] => {
  const old = new Set(before.relations.map(({ name }) => name));
  const now = new Map(after.relations.map((relation) => [relation.name, relation]));
  const fields = new Set(before.fields.map(({ name }) => name));
  return [
    ...before.relations.flatMap((relation) =>
      compareRelations(`${before.name}.${relation.name}`, relation, now.get(relation.name)),
    ),
    ...after.relations
      .filter(({ kind, name }) => kind !== 'oneToMany' && fields.has(name) && !old.has(name))
      .map((relation): BreakingChange => {
        const subject = `${before.name}.${relation.name}`;
        const message = `${subject} leads to ${formatTarget(relation)} now and takes a selection in GraphQL.`;
        return { kind: 'relation added', subject, message };
      }),
  ];
};

const compareRelations = (
  subject: string,
  before: ComparedRelation,
  after: ComparedRelation | undefined,
): BreakingChange[] => {
  if (after === undefined) {
    return [{ kind: 'relation removed', subject, message: `${subject} no longer leads anywhere.` }];
  }
  const [was, is] = [formatTarget(before), formatTarget(after)];
  if (was === is) return [];
  return [{ kind: 'relation changed', subject, message: `${subject} led to ${was} and now leads to ${is}.` }];
};

const formatTarget = (relation: ComparedRelation): string => {
  switch (relation.kind) {
    case 'manyToOne':
      return `one of ${relation.target}`;
    case 'oneToMany':
      return `a list of ${relation.target}`;
    case 'manyToAny':
      return `one of ${relation.targets.join(', ')}`;
  }
};

const compareOperations = (before: Operation, after: Operation | undefined): BreakingChange[] => {
  const subject = before.id;
  if (after === undefined) {
    return [
      {
        kind: 'operation removed',
        subject,
        message: `${requestLine(before)} (${subject}) no longer exists.`,
      },
    ];
  }
  if (requestLine(before) === requestLine(after)) return [];
  const message = `${subject} was ${requestLine(before)} and is now ${requestLine(after)}.`;
  return [{ kind: 'operation changed', subject, message }];
};

const requestLine = ({ method, path }: Operation): string => `${method.toUpperCase()} ${path}`;

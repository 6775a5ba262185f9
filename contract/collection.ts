/**
 * Declarations of collections with their typed fields and relations, which generated code provides.
 * Declarations are plain data; `createRegistry` links them by name.
 */
import type { FieldDeclaration } from './fields.js';

export interface ManyToOneDeclaration {
  readonly kind: 'manyToOne';
  readonly target: string;
  /** Own fields, in the order of `references`. */
  readonly fields: readonly string[];
  readonly references: readonly string[];
  /** No foreign key of the database backs the relation: its fields take any value. */
  readonly unconstrained?: true;
  /** Property of the Objection model that holds the row: the relation's name is that of the column with the key. */
  readonly property?: string;
}

export interface OneToManyDeclaration {
  readonly kind: 'oneToMany';
  readonly target: string;
  /** Foreign key in the target, in the order of `references`. */
  readonly fields: readonly string[];
  /** Own key. */
  readonly references: readonly string[];
  /** Many-to-many: the junction's other relation. */
  readonly junctionField?: string;
  /** Field of the target that stores the order. */
  readonly sortField?: string;
  /** Effect on rows left out of a list; `nullify` when absent. */
  readonly deselect?: 'delete';
  /** Declared in meta, and therefore part of `*`. */
  readonly listed?: true;
  /** Property of the Objection model that holds the rows; the relation's name when absent. */
  readonly property?: string;
}

export interface ManyToAnyDeclaration {
  readonly kind: 'manyToAny';
  readonly field: string;
  readonly collectionField: string;
  readonly targets: readonly string[];
}

export type RelationDeclaration = ManyToOneDeclaration | OneToManyDeclaration | ManyToAnyDeclaration;

/** Declares that `fields` of this row reference `references` of one row of `target`. */
export const manyToOne = (
  target: string,
  fields: readonly string[],
  references: readonly string[],
  options?: Pick<ManyToOneDeclaration, 'unconstrained' | 'property'>,
): ManyToOneDeclaration => ({ kind: 'manyToOne', target, fields, references, ...options });

/** Declares that rows of `target` reference `references` of this row by their `fields`. */
export const oneToMany = (
  target: string,
  fields: readonly string[],
  references: readonly string[],
  options?: Pick<OneToManyDeclaration, 'junctionField' | 'sortField' | 'deselect' | 'listed' | 'property'>,
): OneToManyDeclaration => ({ kind: 'oneToMany', target, fields, references, ...options });

/** Declares that `field` holds a key of one of `targets`, which `collectionField` names. */
export const manyToAny = (
  field: string,
  collectionField: string,
  targets: readonly string[],
): ManyToAnyDeclaration => ({ kind: 'manyToAny', field, collectionField, targets });

export interface CollectionDeclaration<
  Fields extends Record<string, FieldDeclaration> = Record<string, FieldDeclaration>,
> {
  /** The table's name, verbatim. */
  readonly name: string;
  /** REST path; `null`: not served over REST. */
  readonly path: string | null;
  /** Declared by svc itself. */
  readonly system?: true;
  /** Written only by svc. */
  readonly readonly?: true;
  /** Defines access rules: a write, directly or through another collection, creates a new access version. */
  readonly access?: true;
  readonly view?: true;
  readonly singleton?: true;
  /** Triggers or rules of the database may run when a row is inserted. */
  readonly triggers?: true;
  /** Writes are recorded in the activity log; `all` includes the changed fields. */
  readonly activity?: 'all' | 'activity';
  /** Default order of lists. */
  readonly sortField?: string;
  /** Field names; empty for views and keyless tables. */
  readonly key: readonly string[];
  /** Fields in column order. */
  readonly fields: Fields;
  readonly relations?: Readonly<Record<string, RelationDeclaration>>;
  /** Unique constraints other than the key, as constraint name to fields. */
  readonly uniques?: Readonly<Record<string, readonly string[]>>;
  /** The Objection model, for a team's own code. */
  readonly model?: unknown;
}

/** Declares a collection; the type parameter preserves its field types. */
export const defineCollection = <const Fields extends Record<string, FieldDeclaration>>(
  declaration: CollectionDeclaration<Fields>,
): CollectionDeclaration<Fields> => declaration;

export interface Field extends FieldDeclaration {
  readonly name: string;
}

export type Relation =
  | (ManyToOneDeclaration & {
      readonly name: string;
      readonly collection: Collection;
      /** Present where the relation is one target of a many-to-any relation. */
      readonly anyOf?: AnyOf;
    })
  | (OneToManyDeclaration & {
      readonly name: string;
      /** Collection on the one side. */
      readonly owner: string;
      readonly collection: Collection;
    })
  | (Omit<ManyToAnyDeclaration, 'targets'> & {
      readonly name: string;
      readonly targets: readonly ToOne[];
    });

/** The many-to-any relation of a target: it leads from rows whose `collectionField` names the target. */
export interface AnyOf {
  readonly relation: string;
  readonly keyField: Field;
  readonly collectionField: Field;
}

export type ToOne = Extract<Relation, { kind: 'manyToOne' }>;
export type ToMany = Extract<Relation, { kind: 'oneToMany' }>;
export type ToAny = Extract<Relation, { kind: 'manyToAny' }>;

/** A linked collection, with maps instead of objects so that no name is special. */
export interface Collection {
  readonly name: string;
  readonly path: string | null;
  readonly system: boolean;
  readonly readonly: boolean;
  readonly access: boolean;
  readonly view: boolean;
  readonly singleton: boolean;
  readonly triggers: boolean;
  readonly activity: 'all' | 'activity' | null;
  readonly sortField: string | null;
  readonly key: readonly Field[];
  readonly fields: ReadonlyMap<string, Field>;
  /** Fields that writes check, fill, validate or hash. */
  readonly required: readonly Field[];
  readonly filled: readonly Field[];
  readonly validated: readonly Field[];
  readonly hashed: readonly Field[];
  readonly tokens: readonly Field[];
  readonly relations: ReadonlyMap<string, Relation>;
  /** Targets of the many-to-any relations, named as in `item:works`. */
  readonly anyTargets: ReadonlyMap<string, ToOne>;
  /** Relations that a foreign key of the database backs. */
  readonly foreignKeys: readonly ToOne[];
  readonly uniques: ReadonlyMap<string, readonly string[]>;
}

export interface Registry {
  readonly collections: ReadonlyMap<string, Collection>;
}

/**
 * Links declarations by name. Omits relations whose target is not declared, because a team may exclude tables
 * that others reference.
 */
export const createRegistry = (declarations: readonly CollectionDeclaration[]): Registry => {
  const collections = new Map<string, Collection>();
  const relationsOf = new Map<string, Map<string, Relation>>();
  const anyTargetsOf = new Map<string, Map<string, ToOne>>();
  const foreignKeysOf = new Map<string, ToOne[]>();
  for (const declaration of declarations) {
    const fields = new Map(
      Object.entries(declaration.fields).map(([name, options]) => [name, { ...options, name }]),
    );
    const all = [...fields.values()] as readonly Field[];
    const relations = new Map<string, Relation>();
    const anyTargets = new Map<string, ToOne>();
    const foreignKeys: ToOne[] = [];
    relationsOf.set(declaration.name, relations);
    anyTargetsOf.set(declaration.name, anyTargets);
    foreignKeysOf.set(declaration.name, foreignKeys);
    collections.set(declaration.name, {
      name: declaration.name,
      path: declaration.path,
      system: declaration.system ?? false,
      readonly: declaration.readonly ?? false,
      access: declaration.access ?? false,
      view: declaration.view ?? false,
      singleton: declaration.singleton ?? false,
      triggers: declaration.triggers ?? false,
      activity: declaration.activity ?? null,
      sortField: declaration.sortField ?? null,
      key: declaration.key.map((name) => requireField({ name: declaration.name, fields }, name)),
      fields,
      required: all.filter((field) => field.required === true),
      filled: all.filter((field) => field.fill !== undefined),
      validated: all.filter((field) => field.validation !== undefined),
      hashed: all.filter((field) => field.hash === true),
      tokens: all.filter((field) => field.token === true),
      relations,
      anyTargets,
      foreignKeys,
      uniques: new Map(Object.entries(declaration.uniques ?? {})),
    });
  }
  for (const declaration of declarations) {
    for (const [name, relation] of Object.entries(declaration.relations ?? {})) {
      const linked = link(relation, { name, owner: declaration.name, collections });
      if (linked === null) continue;
      relationsOf.get(declaration.name)?.set(name, linked);
      if (linked.kind === 'manyToOne' && linked.unconstrained !== true)
        foreignKeysOf.get(declaration.name)?.push(linked);
      if (linked.kind === 'manyToAny')
        for (const target of linked.targets) anyTargetsOf.get(declaration.name)?.set(target.name, target);
    }
  }
  return { collections };
};

interface LinkOptions {
  readonly name: string;
  readonly owner: string;
  readonly collections: ReadonlyMap<string, Collection>;
}

const link = (relation: RelationDeclaration, options: LinkOptions): Relation | null => {
  const { name, owner, collections } = options;
  if (relation.kind === 'manyToAny') return linkToAny(relation, options);
  const collection = collections.get(relation.target);
  if (collection === undefined) return null;
  return relation.kind === 'manyToOne'
    ? { ...relation, name, collection }
    : { ...relation, name, owner, collection };
};

/** Links each target as a relation of its own, which leads from the rows that name it. */
const linkToAny = (
  { targets, ...relation }: ManyToAnyDeclaration,
  { name, owner, collections }: LinkOptions,
): ToAny | null => {
  const own = collections.get(owner);
  if (own === undefined) return null;
  const anyOf: AnyOf = {
    relation: name,
    keyField: requireField(own, relation.field),
    collectionField: requireField(own, relation.collectionField),
  };
  const linked = targets.flatMap((target): readonly ToOne[] => {
    const collection = collections.get(target);
    const [key, ...others] = collection?.key ?? [];
    if (collection === undefined || key === undefined || others.length > 0) return [];
    const step = manyToOne(target, [relation.field], [key.name], { unconstrained: true });
    return [{ ...step, name: `${name}:${target}`, collection, anyOf }];
  });
  return { ...relation, name, targets: linked };
};

/** Returns a field. @throws Error when there is none, which is a bug in svc */
export const requireField = ({ name, fields }: Pick<Collection, 'name' | 'fields'>, field: string): Field => {
  const found = fields.get(field);
  if (found === undefined) throw new Error(`${name} has no field "${field}"`);
  return found;
};

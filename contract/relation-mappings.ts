/** Derives Objection's relation mappings from the relations that a collection declares. */
import type { RelationDeclaration } from './collection.js';

/** The statics of an Objection model that a mapping needs. */
interface ModelClass<Kind> {
  readonly tableName: string;
  readonly BelongsToOneRelation: Kind;
  readonly HasManyRelation: Kind;
}

export interface RelationMapping<Kind, Target> {
  relation: Kind;
  modelClass: Target;
  join: { from: string[]; to: string[] };
}

/**
 * Returns the mappings of a model, one for each property in `targets`.
 * @param targets property of the model → class of the rows it holds; a relation without a class is not mapped
 */
export const relationMappings = <Kind, Target extends ModelClass<Kind>>(
  model: ModelClass<Kind>,
  relations: Readonly<Record<string, RelationDeclaration>>,
  targets: Readonly<Record<string, Target>>,
): Record<string, RelationMapping<Kind, Target>> => {
  const mappings: Record<string, RelationMapping<Kind, Target>> = {};
  for (const [name, relation] of Object.entries(relations)) {
    if (relation.kind === 'manyToAny') continue;
    const property = relation.property ?? name;
    const target = Object.hasOwn(targets, property) ? targets[property] : undefined;
    if (target === undefined) continue;
    const own = relation.kind === 'manyToOne' ? relation.fields : relation.references;
    const far = relation.kind === 'manyToOne' ? relation.references : relation.fields;
    mappings[property] = {
      relation: relation.kind === 'manyToOne' ? model.BelongsToOneRelation : model.HasManyRelation,
      modelClass: target,
      join: { from: qualify(model, own), to: qualify(target, far) },
    };
  }
  return mappings;
};

const qualify = ({ tableName }: { readonly tableName: string }, columns: readonly string[]): string[] =>
  columns.map((column) => `${tableName}.${column}`);

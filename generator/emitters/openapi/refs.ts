/** Builds references between parts of the document, and removes components without any. */
import type { ComponentsObject, ReferenceObject } from 'openapi3-ts/oas31';

type Kind = 'schemas' | 'responses' | 'parameters';

/** Refers to a component. A component without any reference is removed from the document. */
export const ref = (kind: Kind, name: string): ReferenceObject => ({ $ref: `#/components/${kind}/${name}` });

/**
 * Returns the name of the component of a parameter. It ends so that no generator of clients takes it for the schema of a
 * table, such as `page`.
 */
export const parameterName = (name: string): string =>
  `${name
    .split(/[-_]/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')}Parameter`;

/** Refers to the component of a parameter. */
export const parameterRef = (name: string): ReferenceObject => ref('parameters', parameterName(name));

/**
 * Returns the components that the parts `from` refer to, directly or through others, in their order. The larger parts that
 * stay the same are, the less is looked at again.
 */
export const keepReferenced = (components: ComponentsObject, from: readonly unknown[]): ComponentsObject => {
  const seen = followReferences(from, components);
  const keep = <Part>(kind: Kind, parts: Readonly<Record<string, Part>> = {}): Record<string, Part> =>
    Object.fromEntries(Object.entries(parts).filter(([name]) => seen.has(`#/components/${kind}/${name}`)));
  return {
    ...components,
    schemas: keep('schemas', components.schemas),
    responses: keep('responses', components.responses),
    parameters: keep('parameters', components.parameters),
  };
};

/** Collects references iteratively, since chains of collections may be of any length. */
const followReferences = (from: readonly unknown[], components: ComponentsObject): ReadonlySet<string> => {
  const seen = new Set(from.flatMap(referencesOf));
  // iteration of a Set includes elements added during it
  for (const pointer of seen)
    for (const reference of referencesOf(resolve(pointer, components))) seen.add(reference);
  return seen;
};

/** References of parts, which stay the same objects while their collection does. */
const known = new WeakMap<object, readonly string[]>();

const referencesOf = (part: unknown): readonly string[] => {
  if (typeof part !== 'object' || part === null) return [];
  const present = known.get(part);
  if (present !== undefined) return present;
  const references = new Set<string>();
  const collect = (node: object): void => {
    for (const [key, value] of Object.entries(node) as [string, unknown][]) {
      if (key === '$ref' && typeof value === 'string') references.add(value);
      else if (typeof value === 'object' && value !== null) collect(value);
    }
  };
  collect(part);
  const found = [...references];
  known.set(part, found);
  return found;
};

const resolve = (pointer: string, components: ComponentsObject): unknown => {
  const [, , kind, name] = pointer.split('/');
  return components[kind as Kind]?.[name ?? ''];
};

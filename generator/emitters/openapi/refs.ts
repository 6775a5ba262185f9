/** Builds references between parts of the document, and removes components without any. */
import type { ComponentsObject, ReferenceObject } from 'openapi3-ts/oas31';

type Kind = 'schemas' | 'responses' | 'parameters';

/** Refers to a component. A component without any reference is removed from the document. */
export const ref = (kind: Kind, name: string): ReferenceObject => ({ $ref: `#/components/${kind}/${name}` });

/** Returns the components that `from` refers to, directly or through others, in their order. */
export const keepReferenced = (components: ComponentsObject, from: unknown): ComponentsObject => {
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
const followReferences = (from: unknown, components: ComponentsObject): ReadonlySet<string> => {
  const seen = new Set<string>();
  const collect = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    for (const [key, value] of Object.entries(node)) {
      if (key === '$ref' && typeof value === 'string') seen.add(value);
      else collect(value);
    }
  };
  collect(from);
  // iteration of a Set includes elements added during it
  for (const pointer of seen) collect(resolve(pointer, components));
  return seen;
};

const resolve = (pointer: string, components: ComponentsObject): unknown => {
  const [, , kind, name] = pointer.split('/');
  return components[kind as Kind]?.[name ?? ''];
};

/** References between parts of the document, and what remains of the components once they are followed. */
import type { ComponentsObject, PathsObject, ReferenceObject } from 'openapi3-ts/oas31';

type Kind = 'schemas' | 'responses' | 'parameters';

export const ref = (kind: Kind, name: string): ReferenceObject => ({ $ref: `#/components/${kind}/${name}` });

/** The components that `paths` needs, directly or through others; in the order given. */
export const keepReferenced = (components: ComponentsObject, paths: PathsObject): ComponentsObject => {
  const seen = followReferences(paths, components);
  const keep = <Part>(kind: Kind, parts: Readonly<Record<string, Part>> = {}): Record<string, Part> =>
    Object.fromEntries(Object.entries(parts).filter(([name]) => seen.has(`#/components/${kind}/${name}`)));
  return {
    ...components,
    schemas: keep('schemas', components.schemas),
    responses: keep('responses', components.responses),
    parameters: keep('parameters', components.parameters),
  };
};

/** By a queue, not by recursion: collections may refer to each other in chains of any length. */
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
  // a Set also visits what is added on the way
  for (const pointer of seen) collect(resolve(pointer, components));
  return seen;
};

const resolve = (pointer: string, components: ComponentsObject): unknown => {
  const [, , kind, name] = pointer.split('/');
  return components[kind as Kind]?.[name ?? ''];
};

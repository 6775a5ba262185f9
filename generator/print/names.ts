/** Local names of imports that collide with names which the generated file declares. */

/** Returns the local name of an import. */
export type ToLocalName = (name: string) => string;

/** Returns `svcModel` for `Model` where that name is taken, or `svcModel2` where both are. */
export const avoidCollision = (name: string, taken: ReadonlySet<string>): string => {
  if (!taken.has(name)) return name;
  let local = `svc${name.charAt(0).toUpperCase()}${name.slice(1)}`;
  while (taken.has(local)) local += '2';
  return local;
};

/** Prints an import specifier: `Model`, or `Model as svcModel` where the local name differs. */
export const importName = (name: string, local: ToLocalName): string =>
  local(name) === name ? name : `${name} as ${local(name)}`;

/** Local names of imports that collide with names a generated file declares. */

/** Returns the local name of an import. */
export type Local = (name: string) => string;

/** `Model` → `svcModel`, or `svcModel2` where that is taken too. */
export const giveWay = (name: string, taken: ReadonlySet<string>): string => {
  if (!taken.has(name)) return name;
  let local = `svc${name.charAt(0).toUpperCase()}${name.slice(1)}`;
  while (taken.has(local)) local += '2';
  return local;
};

/** `Model as svcModel` where they differ. */
export const importName = (name: string, local: Local): string =>
  local(name) === name ? name : `${name} as ${local(name)}`;

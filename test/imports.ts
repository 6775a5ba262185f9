/** Lists the modules of the project and their imports, read from the source text. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Import {
  /** Path of the importing module without extension. */
  readonly from: string;
  /** Path of the imported module without extension, or the name of a library. */
  readonly to: string;
  readonly kind: 'value' | 'type' | 'lazy';
}

/** Matches imports at the start of a line; code in the strings of emitters is always indented. */
const statements = /^(?:import|export)\s+(type\s)?(?:[\w$*{},\s]+?\sfrom\s+)?'([^']+)'/gm;
const calls = /\b(?:import|require|resolve|createRequire\(import\.meta\.url\))\(\s*'([^']+)'/g;

/** Returns the imports in the text of a module. */
export const findImports = (text: string, from: string): readonly Import[] => {
  const stated = Array.from(text.matchAll(statements), ([, type, module = '']): Import => {
    return { from, to: resolve(from, module), kind: type === undefined ? 'value' : 'type' };
  });
  const called = Array.from(text.matchAll(calls), ([, module = '']): Import => {
    return { from, to: resolve(from, module), kind: 'lazy' };
  });
  return [...stated, ...called].filter(({ to }) => !to.startsWith('node:'));
};

const resolve = (from: string, module: string): string => {
  if (module.startsWith('.')) return join(from, '..', module).replace(/\.js$/, '');
  if (module.startsWith('@svc-api/svc/')) return `${module.slice('@svc-api/svc/'.length)}/index`;
  return module
    .split('/')
    .slice(0, module.startsWith('@') ? 2 : 1)
    .join('/');
};

/** All modules without extension, sorted by name within a directory. */
export const modules = ['contract', 'generator', 'generated/server', 'models', 'runtime'].flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => join(folder, path.slice(0, -'.ts'.length)))
    .sort(),
);

export const imports = modules.flatMap((path) => findImports(readFileSync(`${path}.ts`, 'utf8'), path));

/** Returns whether a path is equal to or below another. */
export const isWithin = (path: string, place: string): boolean =>
  path === place || path.startsWith(`${place}/`);

/**
 * Returns the sorted strongly connected components of modules that import each other (Tarjan's algorithm).
 * @param edges imports of each module
 */
export const findCycles = (edges: ReadonlyMap<string, readonly string[]>): readonly (readonly string[])[] => {
  const circles: string[][] = [];
  const stack: string[] = [];
  /** Index and low link of a module; infinite once its component is known. */
  const reached = new Map<string, number>();
  const visit = (module: string): number => {
    const known = reached.get(module);
    if (known !== undefined) return known;
    const index = reached.size;
    reached.set(module, index);
    const depth = stack.push(module) - 1;
    const lowest = Math.min(index, ...(edges.get(module) ?? []).map(visit));
    if (lowest < index) return lowest;
    const group = stack.splice(depth);
    for (const each of group) reached.set(each, Infinity);
    if (group.length > 1) circles.push(group.sort());
    return Infinity;
  };
  for (const module of edges.keys()) visit(module);
  return circles;
};

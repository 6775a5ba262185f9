/** Lists the modules of the project and their imports. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findImports } from './import-statements.js';

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

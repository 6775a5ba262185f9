/** Reads the imports of a module from its source text. */
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

/** Finds the servers that some files need, so that a run of one file of pure functions starts none. */
import { existsSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { TestProject } from 'vitest/node';
import { findImports } from './import-statements.js';
import type { ServiceName } from './services.js';

const databases: readonly ServiceName[] = ['mariadb', 'mysql', 'postgres'];

/** Returns the servers that the chosen files use, they or what they import; `all` where no file was chosen. */
export const needsOf = async ({ vitest }: TestProject): Promise<ReadonlySet<ServiceName> | 'all'> => {
  // an internal member: nothing else knows what was asked for at this time
  const { filenamePattern: patterns } = vitest as unknown as { filenamePattern?: string[] };
  if (patterns === undefined) return 'all';
  const files = await vitest.globTestSpecifications(patterns);
  const waiting = files.map(({ moduleId }) => relative(vitest.config.root, moduleId).replace(/\.ts$/, ''));
  const needs = new Set<ServiceName>();
  const seen = new Set(waiting);
  for (const path of waiting) {
    const text = readFileSync(`${path}.ts`, 'utf8');
    for (const name of namedIn(text)) needs.add(name);
    for (const { to, kind } of findImports(text, path)) {
      if (kind === 'type' || seen.has(to) || !to.startsWith('test/') || !existsSync(`${to}.ts`)) continue;
      seen.add(to);
      waiting.push(to);
    }
  }
  return needs;
};

const namedIn = (text: string): readonly ServiceName[] => [
  ...(/\binject\('services'\)\.temporal\b/.test(text) ? (['temporal'] as const) : []),
  ...(/\binject\('services'\)(?:\[|\.(?!temporal))/.test(text) ? databases : []),
];

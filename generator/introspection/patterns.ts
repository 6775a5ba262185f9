import type { IntrospectOptions } from './catalog.js';

export type TableFilter = (name: string) => boolean;

/**
 * Returns the filter of tables: system tables always match, others by the patterns, where exclusion takes
 * precedence.
 */
export const createTableFilter = (options: IntrospectOptions): TableFilter => {
  const included = createMatcher(options.include?.length ? options.include : ['*']);
  const excluded = createMatcher(options.exclude ?? []);
  return (name) => name.startsWith('svc_') || (included(name) && !excluded(name));
};

const createMatcher = (patterns: readonly string[]): TableFilter => {
  const expressions = patterns.map(patternToExpression);
  return (name) => expressions.some((expression) => expression.test(name));
};

const patternToExpression = (pattern: string): RegExp => {
  const parts = pattern.split('*').map((part) => part.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`, 's');
};

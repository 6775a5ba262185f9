import type { IntrospectOptions } from './catalog.js';

export type TableFilter = (name: string) => boolean;

/** Which tables the catalog holds: system tables always, others as the patterns say; exclude wins. */
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

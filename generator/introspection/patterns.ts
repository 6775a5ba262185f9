import type { IntrospectOptions, UnmatchedPatterns } from './catalog.js';

export type TableFilter = (name: string) => boolean;

/**
 * Returns the filter of tables: system tables always match, others by the patterns, where exclusion takes
 * precedence.
 */
export const createTableFilter = (options: IntrospectOptions): TableFilter => {
  const included = createMatcher(options.include?.length ? options.include : ['*']);
  const excluded = createMatcher(options.exclude ?? []);
  return (name) =>
    !name.startsWith('svc_scratch_') && (name.startsWith('svc_') || (included(name) && !excluded(name)));
};

export interface WatchedFilter {
  readonly filter: TableFilter;
  /** Returns the patterns that have matched no name so far. */
  unmatched(): UnmatchedPatterns;
}

/** Returns the same filter, which notes the patterns that match. */
export const watchTableFilter = (options: IntrospectOptions): WatchedFilter => {
  const filter = createTableFilter(options);
  const names = new Set<string>();
  const withoutMatch = (patterns: readonly string[] = []): readonly string[] =>
    patterns.filter((pattern) => ![...names].some(createMatcher([pattern])));
  return {
    filter: (name) => {
      names.add(name);
      return filter(name);
    },
    unmatched: () => ({ include: withoutMatch(options.include), exclude: withoutMatch(options.exclude) }),
  };
};

const createMatcher = (patterns: readonly string[]): TableFilter => {
  const expressions = patterns.map(patternToExpression);
  return (name) => expressions.some((expression) => expression.test(name));
};

const patternToExpression = (pattern: string): RegExp => {
  const parts = pattern.split('*').map((part) => part.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`, 's');
};

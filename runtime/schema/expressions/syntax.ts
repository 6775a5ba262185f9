/** Spellings of expressions. */
import type { Lexicon } from './tokens.js';
import type { FunctionName } from './tree.js';

/** The spelling of what databases spell differently. */
export interface ExpressionSyntax extends Lexicon {
  /** Names of functions that this database has for those of the grammar, or with another meaning. */
  readonly functions: ReadonlyMap<string, FunctionName | 'concat' | 'unsupported'>;
}

/** The spelling of snapshots: standard SQL. */
export const neutralSyntax: ExpressionSyntax = {
  backslashes: false,
  brackets: false,
  functions: new Map(),
};

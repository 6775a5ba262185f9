/** Prints a path into JSON as a literal of SQL. */
import type { JsonStep } from '../../contract/functions.js';

/** Returns a path in the form that most databases take: `'$."theme"."colors"[0]'`. Keys have no quotes. */
export const jsonPath = (path: readonly JsonStep[]): string =>
  `'$${path.map((step) => (typeof step === 'number' ? `[${step}]` : `."${step}"`)).join('')}'`;

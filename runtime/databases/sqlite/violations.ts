/** Reads constraint violations of SQLite from the errors of libsql. */
import type { Violation } from '../contract.js';
import { firstGroup, violation } from '../violations.js';

/** Returns the violation, or null for any other error. SQLite names neither foreign key nor row. */
export const readViolation = (error: unknown, table: string): Violation | null => {
  if (!(error instanceof Error)) return null;
  const { code, message } = error as Error & { readonly code?: unknown };
  return typeof code === 'string' && code.startsWith('SQLITE') ? readCode(code, message, table) : null;
};

/**
 * Reads a result code (https://www.sqlite.org/rescode.html); only the message names the columns, each after its table.
 */
const readCode = (code: string, text: string, table: string): Violation | null => {
  // the message is from a trigger, except for `on delete restrict`, which SQLite reports as a trigger
  if (code === 'SQLITE_CONSTRAINT_TRIGGER' && text !== 'FOREIGN KEY constraint failed')
    return violation('check');
  // a fault of the schema: a foreign key or a trigger refers to something missing or not unique
  if (/^(?:foreign key mismatch|no such table: main\.)/.test(text)) return violation('broken');
  const reason = firstGroup(/constraint failed: (.*)$/s, text);
  const columns = reason?.startsWith(`${table}.`) ? reason.slice(table.length + 1).split(`, ${table}.`) : [];
  if (text.includes('UNIQUE constraint failed')) return violation('unique', columns);
  if (text.includes('NOT NULL constraint failed')) return violation('notNull', columns);
  if (text.includes('FOREIGN KEY constraint failed')) return violation('foreignKey');
  if (text.includes('CHECK constraint failed')) return violation('check', [], reason);
  // `generatedKeyCheck` of the dialect
  if (text === 'integer overflow') return violation('exhausted');
  if (code === 'SQLITE_FULL') return violation('full');
  if (!/cannot store|datatype mismatch|^malformed JSON$/.test(text)) return null;
  return violation('type', [firstGroup(/column .*\.(.*)$/s, text) ?? []].flat());
};

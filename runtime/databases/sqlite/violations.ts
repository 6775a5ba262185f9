/** Reads constraint violations of SQLite from the errors of libsql. */
import type { Violation } from '../contract.js';
import { found, violation } from '../violations.js';

export const readViolation = (error: unknown, table: string): Violation | null => {
  if (!(error instanceof Error)) return null;
  const { code, message } = error as Error & { readonly code?: unknown };
  return typeof code === 'string' && code.startsWith('SQLITE') ? readCode(code, message, table) : null;
};

/** https://www.sqlite.org/rescode.html; columns stand in the message only, each after its table. */
const readCode = (code: string, text: string, table: string): Violation | null => {
  // the text is the trigger's own; `restrict` is one of SQLite's
  if (code === 'SQLITE_CONSTRAINT_TRIGGER' && text !== 'FOREIGN KEY constraint failed')
    return violation('check');
  // the schema is at fault: a foreign key or a trigger needs what is not there, or not unique
  if (/^(?:foreign key mismatch|no such table: main\.)/.test(text)) return violation('broken');
  const said = found(/constraint failed: (.*)$/s, text);
  const columns = said?.startsWith(`${table}.`) ? said.slice(table.length + 1).split(`, ${table}.`) : [];
  if (text.includes('UNIQUE constraint failed')) return violation('unique', columns);
  if (text.includes('NOT NULL constraint failed')) return violation('notNull', columns);
  if (text.includes('FOREIGN KEY constraint failed')) return violation('foreignKey');
  if (text.includes('CHECK constraint failed')) return violation('check', [], said);
  if (!/cannot store|datatype mismatch|^malformed JSON$/.test(text)) return null;
  return violation('type', [found(/column .*\.(.*)$/s, text) ?? []].flat());
};

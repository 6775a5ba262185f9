/** The rows that an apply changes beside tables: meta, access, and what rules name. */
import type { BindValue, Executor } from '../../databases/contract.js';
import type { ExpressionPrinter } from '../expressions/print.js';
import { raiseAccessVersion } from '../../execute/access-version.js';
import type { Statements } from '../../execute/system-rows.js';
import { accessOf, type AccessSnapshot } from '../access-rows/types.js';
import { writeAccess } from '../access-rows/write.js';
import type { Apply, TableChange } from './apply.js';
import { writeMeta } from './meta.js';
import { renameInRules } from './rules.js';

/** Returns the rows of roles, policies and permissions before and after, or null where the apply is not about them. */
export const accessChange = ({
  target,
  wanted,
}: Pick<Apply, 'target' | 'wanted'>): readonly [AccessSnapshot, AccessSnapshot] | null => {
  const [before, after] = [accessOf(target), accessOf(wanted)];
  return before === null || after === null ? null : [before, after];
};

/** Writes the rows of an apply. */
export const writeRows = async (
  statements: Statements,
  apply: Pick<TableChange, 'target' | 'wanted' | 'renames'>,
): Promise<void> => {
  await writeMeta(statements, apply.target, apply.wanted);
  const access = accessChange(apply);
  if (access !== null) await writeAccess(statements, ...access);
  await renameInRules(statements, apply.renames, apply.wanted.relations);
};

/** Returns the statements that write the rows of an apply, with their values, to be run by a person. */
export const printRows = async (
  { query, quote }: Pick<Executor, 'query' | 'quote'>,
  apply: Pick<TableChange, 'target' | 'wanted' | 'renames' | 'live'>,
): Promise<readonly string[]> => {
  const printed: string[] = [];
  const recorder: Statements = {
    query,
    quote,
    async write({ text, values }) {
      printed.push(withValues(text, values, apply.live.printer.expressions));
      return { affected: 0 };
    },
  };
  await writeRows(recorder, apply);
  if (printed.length > 0) await raiseAccessVersion(recorder);
  return printed;
};

/** Names in quotes may contain a question mark. */
const placeholders = /"[^"]*"|`[^`]*`|'[^']*'|\?/g;

const withValues = (
  text: string,
  values: readonly BindValue[],
  printer: Pick<ExpressionPrinter, 'text'>,
): string => {
  let at = 0;
  return text.replaceAll(placeholders, (found) => {
    if (found !== '?') return found;
    const value = values[at++] ?? null;
    if (value === null) return 'null';
    return typeof value === 'string' ? printer.text(value) : String(value);
  });
};

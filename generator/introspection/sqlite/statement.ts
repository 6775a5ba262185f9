/**
 * Parses facts that SQLite stores only as text: constraint names, generated expressions, AUTOINCREMENT, indexed
 * expressions. The statements come from `sqlite_schema`, so they are known to be valid and are read
 * leniently. Pure.
 */

export interface TableStatement {
  readonly autoincrement: boolean;
  /** Constraints in the order of the statement, with column names as written. */
  readonly uniques: readonly Constraint[];
  readonly foreignKeys: readonly ForeignConstraint[];
  /** Expression of each generated column. */
  readonly generated: ReadonlyMap<string, string>;
  /** Conditions of check constraints, in the order of the statement. */
  readonly checks: readonly { readonly name: string | null; readonly sql: string }[];
  /** Collation of columns that declare one. */
  readonly collations: ReadonlyMap<string, string>;
  /** True where it has clauses that are not read: ON CONFLICT, and COLLATE of a constraint. */
  readonly hasUnread?: true;
}

interface Constraint {
  /** The name; `null` where the statement gives none. */
  readonly name: string | null;
  readonly columns: readonly string[];
}

interface ForeignConstraint extends Constraint {
  /** True where it is checked at commit; absent where each statement checks it. */
  readonly deferred?: true;
}

/** Folds ASCII letters to lower case, as SQLite does to compare names. */
export const foldName = (name: string): string => name.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());

/** Reads facts from `CREATE TABLE` that the pragmas do not return. Keys of maps are folded names. */
export const readTableStatement = (sql: string): TableStatement => {
  const found: Found = {
    autoincrement: false,
    uniques: [],
    foreignKeys: [],
    generated: new Map(),
    checks: [],
    collations: new Map(),
  };
  const parts = splitList(readBody(sql));
  for (const part of parts) readPart(part, sql, found);
  return parts.some(isPartlyRead) ? { ...found, hasUnread: true } : found;
};

/**
 * Returns the text of each indexed part: `lower(name)` and `id` of `CREATE INDEX … ON table (lower(name), id
 * DESC)`.
 */
export const readIndexTerms = (sql: string): string[] =>
  splitList(readBody(sql)).map((part) => {
    const last = part.at(-1);
    return textOf(last !== undefined && /^(?:asc|desc)$/i.test(last.text) ? part.slice(0, -1) : part, sql);
  });

interface Found {
  autoincrement: boolean;
  readonly uniques: Constraint[];
  readonly foreignKeys: ForeignConstraint[];
  readonly generated: Map<string, string>;
  readonly checks: { readonly name: string | null; readonly sql: string }[];
  readonly collations: Map<string, string>;
}

/** A word, a quoted name, a literal, a sign; or a parenthesised group, whose parts are inside. */
interface Token {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly group: readonly Token[] | null;
}

const lexeme =
  /\s+|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|'(?:[^']|'')*'|"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\]|[\w$\u0080-\uffff]+|[\s\S]/g;

const tokenize = (sql: string): Token[] => {
  const root: Token[] = [];
  const open: { readonly start: number; readonly tokens: Token[] }[] = [];
  for (const match of sql.matchAll(lexeme)) {
    const [text] = match;
    const end = match.index + text.length;
    const tokens = open.at(-1)?.tokens ?? root;
    if (/^(?:\s|--|\/\*)/.test(text)) continue;
    if (text === '(') {
      open.push({ start: match.index, tokens: [] });
    } else if (text === ')') {
      const group = open.pop();
      if (group === undefined) continue;
      (open.at(-1)?.tokens ?? root).push({ text: '()', start: group.start, end, group: group.tokens });
    } else {
      tokens.push({ text, start: match.index, end, group: null });
    }
  }
  return root;
};

const isPartlyRead = (part: readonly Token[]): boolean =>
  part.some(
    (token, at) =>
      (keywordOf(token) === 'ON' && keywordOf(part[at + 1]) === 'CONFLICT') ||
      (constraintWords.has(keywordOf(part[0])) &&
        /^(?:UNIQUE|KEY)$/.test(keywordOf(part[at - 1])) &&
        token.group?.some((inner) => keywordOf(inner) === 'COLLATE') === true),
  );

/** Returns the first parenthesised group of a statement: the columns of a table or the parts of an index. */
const readBody = (sql: string): readonly Token[] => tokenize(sql).find((token) => token.group)?.group ?? [];

const splitList = (tokens: readonly Token[]): Token[][] => {
  const parts: Token[][] = [[]];
  for (const token of tokens) {
    if (token.text === ',') parts.push([]);
    else parts.at(-1)?.push(token);
  }
  return parts.filter((part) => part.length > 0);
};

const textOf = (tokens: readonly Token[], sql: string): string =>
  sql.slice(tokens[0]?.start, tokens.at(-1)?.end);

const keywordOf = (token: Token | undefined): string => token?.text.toUpperCase() ?? '';

/** Keywords that begin a table constraint. They are reserved, so none of them is an unquoted column name. */
const constraintWords: ReadonlySet<string> = new Set(['CONSTRAINT', 'PRIMARY', 'UNIQUE', 'CHECK', 'FOREIGN']);

/** Keywords that a constraint name may precede. */
const namedWords: ReadonlySet<string> = new Set([
  'PRIMARY',
  'NOT',
  'NULL',
  'CHECK',
  'DEFAULT',
  'COLLATE',
  'AS',
]);

/**
 * Reads one column with its constraints, or table constraints, which SQLite accepts without a comma between
 * them.
 */
const readPart = (part: readonly Token[], sql: string, found: Found): void => {
  const first = part[0];
  const column = first === undefined || constraintWords.has(keywordOf(first)) ? null : nameOf(first);
  let name: string | null = null;
  let foreign: readonly string[] | null = null;
  for (let at = column === null ? 0 : 1; at < part.length; at += 1) {
    const keyword = keywordOf(part[at]);
    const columns = column === null ? namesOf(part[at + 1]) : [column];
    if (keyword === 'CONSTRAINT') {
      at += 1;
      name = nameOf(part[at]);
    } else if (keyword === 'UNIQUE') {
      found.uniques.push({ name, columns });
      name = null;
    } else if (keyword === 'FOREIGN') {
      foreign = namesOf(part[at + 2]);
    } else if (keyword === 'REFERENCES') {
      found.foreignKeys.push({ name, columns: foreign ?? columns });
      name = foreign = null;
    } else if (keyword === 'DEFERRABLE') {
      readDeferrable(part, at, found);
    } else if (keyword === 'AUTOINCREMENT') {
      found.autoincrement = true;
    } else if (namedWords.has(keyword)) {
      if (keyword === 'AS' && column !== null) readGenerated(column, part[at + 1], sql, found);
      if (keyword === 'COLLATE' && column !== null)
        found.collations.set(foldName(column), nameOf(part[at + 1]));
      if (keyword === 'CHECK') readCheck(name, part[at + 1], { sql, found });
      name = null;
    }
  }
};

const readCheck = (
  name: string | null,
  token: Token | undefined,
  { sql, found }: { readonly sql: string; readonly found: Found },
): void => {
  if (token?.group) found.checks.push({ name, sql: textOf(token.group, sql) });
};

/** A clause belongs to the key before it. Without `INITIALLY DEFERRED` it changes nothing. */
const readDeferrable = (part: readonly Token[], at: number, found: Found): void => {
  const last = found.foreignKeys.pop();
  const isDeferred =
    keywordOf(part[at - 1]) !== 'NOT' &&
    keywordOf(part[at + 1]) === 'INITIALLY' &&
    keywordOf(part[at + 2]) === 'DEFERRED';
  if (last === undefined) return;
  const { name, columns } = last;
  found.foreignKeys.push({ name, columns, ...(isDeferred && { deferred: true }) });
};

const readGenerated = (column: string, token: Token | undefined, sql: string, found: Found): void => {
  if (token?.group) found.generated.set(foldName(column), textOf(token.group, sql));
};

const namesOf = (token: Token | undefined): string[] =>
  splitList(token?.group ?? []).map((part) => nameOf(part[0]));

const nameOf = (token: Token | undefined): string => {
  const text = token?.text ?? '';
  const quote = text.charAt(0);
  if (quote === '[') return text.slice(1, -1);
  return /["'`]/.test(quote) ? text.slice(1, -1).replaceAll(quote + quote, quote) : text;
};

/** Returns the text of the condition of a partial index, or null. */
export const readPredicate = (sql: string): string | null => {
  const tokens = tokenize(sql);
  const at = tokens.findIndex((token) => keywordOf(token) === 'WHERE');
  return at === -1 ? null : textOf(tokens.slice(at + 1), sql);
};

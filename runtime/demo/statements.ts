/**
 * An SQL script → its statements, comments left out. Quotes inside strings and names are doubled, not escaped;
 * no procedures, whose bodies have semicolons of their own.
 */
export const splitStatements = (script: string): readonly string[] => {
  const statements: string[] = [];
  let current = '';
  for (const [token] of script.matchAll(tokens)) {
    if (token === ';') {
      statements.push(current.trim());
      current = '';
    } else if (!/^(--|\/\*)/.test(token)) current += token;
  }
  return [...statements, current.trim()].filter((statement) => statement !== '');
};

/** Strings and names with doubled quotes inside, comments, the semicolon, runs of anything else. */
const tokens = /'[^']*'|"[^"]*"|`[^`]*`|\[[^\]]*\]|--[^\n]*|\/\*[\s\S]*?\*\/|;|[^'"`[;/-]+|[\s\S]/g;

/**
 * Splits an SQL script into statements without comments. Quotes inside strings and names must be doubled, not
 * escaped; procedures are not supported, because their bodies contain semicolons.
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

/** Matches strings and names with doubled quotes inside, comments, semicolons, and runs of anything else. */
const tokens = /'[^']*'|"[^"]*"|`[^`]*`|\[[^\]]*\]|--[^\n]*|\/\*[\s\S]*?\*\/|;|[^'"`[;/-]+|[\s\S]/g;

/** SQL for every database from one text: names in double quotes, `{words}` where databases differ. */
import type { TestDialect } from '../../databases.js';

const words: Readonly<Record<TestDialect, Readonly<Record<string, string>>>> = {
  sqlite: {
    counter: 'integer primary key autoincrement',
    uuid: 'uuid',
    bytes: 'blob',
    oddity: 'oddity',
    oddValue: "'odd'",
    foreignKeysOff: 'pragma foreign_keys = off',
    foreignKeysOn: 'pragma foreign_keys = on',
  },
  mariadb: {
    counter: 'int auto_increment primary key',
    uuid: 'uuid',
    bytes: 'varbinary(200)',
    oddity: 'point',
    oddValue: 'point(1, 2)',
    foreignKeysOff: 'set foreign_key_checks = 0',
    foreignKeysOn: 'set foreign_key_checks = 1',
  },
};

const openings: Readonly<Record<TestDialect, string>> = {
  sqlite: '',
  mariadb: "set sql_mode = concat(@@sql_mode, ',ANSI_QUOTES');\n",
};

export const sqlFor = (dialect: TestDialect, text: string): string =>
  openings[dialect] +
  text.replaceAll(/\{(\w+)\}/g, (_, word: string) => {
    const spelled = words[dialect][word];
    if (spelled === undefined) throw new Error(`${dialect} has no word for {${word}}`);
    return spelled;
  });

/** `('a', 1), ('b', null)` */
export const valuesToSql = (rows: readonly (readonly (string | number | null)[])[]): string =>
  rows.map((row) => `(${row.map(valueToSql).join(', ')})`).join(', ');

const valueToSql = (value: string | number | null): string => {
  if (value === null) return 'null';
  return typeof value === 'number' ? String(value) : `'${value.replaceAll("'", "''")}'`;
};

/** The order of characters as the database itself compares them; equal characters share a position. */
import type { Database } from '../../../runtime/databases/contract.js';

export interface Collation {
  compare(left: string, right: string): number;
  /** True where `text` begins, ends or goes on with `part` somewhere: as LIKE sees it. */
  matches(text: string, part: string, where: 'contains' | 'starts' | 'ends'): boolean;
  /** The same in any case. */
  matchesAnyCase(text: string, part: string, where: 'contains' | 'starts' | 'ends'): boolean;
}

/** Every character that texts of the archive and of its filters may have. */
const alphabet = [
  ...Array.from({ length: 95 }, (_, index) => String.fromCodePoint(32 + index)),
  'é',
  'É',
  'ä',
];

export const loadCollation = async (database: Database): Promise<Collation> => {
  if (database.dialect === 'sqlite') return binary;
  return database.dialect === 'postgres' ? codePoints : loadUnicode(database);
};

type Where = 'contains' | 'starts' | 'ends';

const find = (text: string, part: string, where: Where): boolean => {
  if (where === 'starts') return text.startsWith(part);
  return where === 'ends' ? text.endsWith(part) : text.includes(part);
};

const compareUnits = (left: string, right: string): number => {
  if (left === right) return 0;
  return left < right ? -1 : 1;
};

/** SQLite: bytes, in whose order the code units of the alphabet are too; cases are those of ASCII. */
const binary: Collation = {
  compare: compareUnits,
  matches: find,
  matchesAnyCase: (text, part, where) => find(lowerAscii(text), lowerAscii(part), where),
};

/** PostgreSQL as the tests set it up: code points; cases are those of every script. */
const codePoints: Collation = {
  ...binary,
  matchesAnyCase: (text, part, where) => find(text.toLowerCase(), part.toLowerCase(), where),
};

const lowerAscii = (text: string): string => text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());

/** MySQL and MariaDB: one weight per character, whatever its case and accent; trailing blanks may not count. */
const loadUnicode = async (database: Database): Promise<Collation> => {
  const [own] = await database.query('select @@collation_database as name');
  const collation = String(own?.name);
  const [blanks] = await database.query(`select _utf8mb4'a' collate ${collation} = _utf8mb4'a ' as ignored`);
  const isPadded = Number(blanks?.ignored) === 1;
  const list = alphabet.map(() => 'select ? as letter').join(' union all ');
  const found = await database.query(
    `select letter, dense_rank() over (order by letter collate ${collation}) as place from (${list}) as letters`,
    alphabet,
  );
  const places = new Map(found.map(({ letter, place }) => [String(letter), Number(place)]));
  const weights = new Map<string, string>();
  /** Returns a text whose code units are places; each text is compared thousands of times. */
  const weigh = (text: string): string => {
    const known = weights.get(text);
    if (known !== undefined) return known;
    const letters = [...text].map((letter) => String.fromCodePoint(places.get(letter) ?? unknown(letter)));
    weights.set(text, letters.join(''));
    return letters.join('');
  };
  const blank = weigh(' ');
  const compare = (left: string, right: string): number => {
    const [a, b] = [weigh(left), weigh(right)];
    if (!isPadded || a.length === b.length) return compareUnits(a, b);
    const length = Math.max(a.length, b.length);
    return compareUnits(a.padEnd(length, blank), b.padEnd(length, blank));
  };
  const matches = (text: string, part: string, where: Where): boolean =>
    find(weigh(text), weigh(part), where);
  return { compare, matches, matchesAnyCase: matches };
};

const unknown = (letter: string): never => {
  throw new Error(`"${letter}" is not in the alphabet of the archive`);
};

/** Names that a database takes and other languages would rather not. */
import { constantFrom, oneof, sample, string } from 'fast-check';
import { collectionNames, graphqlName } from '../../../generator/model/naming.js';
import type { TestDialect } from '../../databases.js';

/** Words of SQL, TypeScript, GraphQL and of queries, and members that every object has. */
const words = (
  'select order group table key default values user type query Mutation Subscription Boolean ID String Date Schema ' +
  'Item Filter Client class import null true await constructor __proto__ hasOwnProperty toString then length name ' +
  'fields filter sort limit deep meta search data keys items _and _or _eq _some __typename __schema ÜBER UPPER ñandú'
).split(' ');

const letters = 'abcXYZ019_ßäÉ日本عש☕';
const signs = ` .,-'"\`$#%?/\\:;()[]{}<>!&|+=*~^@`;

/** MySQL and MariaDB end at the Basic Multilingual Plane. */
const beyond = { sqlite: '😀𝒳', postgres: '😀𝒳', mariadb: '', mysql: '' } as const;

/** Characters of a name: bytes on PostgreSQL, without an end on SQLite. */
const longest = { sqlite: 64, postgres: 63, mariadb: 64, mysql: 64 } as const;

/** `*` stands for every column; names do not end with a blank on MySQL and MariaDB. */
const isLegal = (name: string, dialect: TestDialect): boolean => {
  const mayEndBlank = dialect === 'sqlite' || dialect === 'postgres';
  return (
    (mayEndBlank ? name.trim() !== '' : name.trimEnd() === name) && !/^\*($|\.)|^(svc|sqlite)_/i.test(name)
  );
};

/** As the databases compare names, or more freely. */
const fold = (name: string): string =>
  name.normalize('NFKD').replaceAll(/\p{M}/gu, '').replaceAll('ß', 's').toLowerCase();

/** Any number of names, no two of them alike to a database or in the output: a refusal of these is right. */
export const randomNames = (dialect: TestDialect, seed: number, count: number): readonly string[] => {
  const any = [...letters, ...signs, ...beyond[dialect]];
  const name = oneof(
    constantFrom(...words),
    string({ unit: constantFrom(...any), minLength: 1, maxLength: 12 }),
    string({
      unit: constantFrom(...'abcXYZ_'),
      minLength: longest[dialect],
      maxLength: longest[dialect],
    }),
  );
  const seen = new Set<string>();
  const isNew = (each: string): boolean => {
    const { file, type, variable, graphql } = collectionNames(each, {});
    const spellings = [fold(each), `file ${file.toLowerCase()}`, `type ${type}`, `variable ${variable}`];
    const all = [...spellings, `graphql ${graphql}`, `graphql ${graphqlName(each)}`];
    if (!isLegal(each, dialect) || all.some((spelling) => seen.has(spelling))) return false;
    for (const spelling of all) seen.add(spelling);
    return true;
  };
  return sample(name, { seed, numRuns: count * 6 })
    .filter(isNew)
    .slice(0, count);
};

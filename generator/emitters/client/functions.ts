/** Returns the types of functions in queries, such as `year(born)`. */
import { functionsOf } from '../../../contract/functions.js';
import type { Collection, Field } from '../../model/types.js';
import { objectType, pair, union, type Code } from '../../print/code.js';
import { typeKey } from '../../print/typescript.js';

/** Returns the type of the fields that functions apply to, such as `{ born: svc.DateFunctions }`. */
export const functionsType = ({ fields }: Collection): Code => {
  const members = fields.flatMap((field) => {
    const types = typesOf(field);
    return types.length === 0 ? [] : [pair(`${typeKey(field.name)}:`, union(types))];
  });
  return members.length === 0 ? 'svc.NoFunctions' : objectType(members);
};

const typesOf = (field: Field): readonly string[] => {
  if (field.conceal || field.hash) return [];
  const names = functionsOf(field.type);
  return [
    ...(names.includes('year') ? ['svc.DateFunctions'] : []),
    ...(names.includes('hour') ? ['svc.TimeFunctions'] : []),
    ...(names.includes('json') ? ['svc.JsonFunctions'] : []),
  ];
};

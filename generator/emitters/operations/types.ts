/** Derives the input and output types of an operation. */
import type { Operation, OperationResponse } from '../../model/types.js';
import { objectType, union, type Code } from '../../print/code.js';
import { member, schemaToType, type NameOf } from '../../print/schema-type.js';

/** Prefix of the names of the operation's types: `ServerPing`. */
export const typeStem = (operation: Operation): string =>
  operation.id.charAt(0).toUpperCase() + operation.id.slice(1);

/** Returns the input type: all parameters by name, and `body`. */
export const inputType = ({ parameters, body }: Operation, nameOf: NameOf): Code => {
  const named = parameters.map(({ name, schema, required }) =>
    member(name, schemaToType(schema, nameOf), required),
  );
  const members = body === null ? named : [...named, member('body', schemaToType(body, nameOf), true)];
  return members.length === 0 ? 'Record<string, never>' : objectType(members);
};

/** Returns the output type: the body, or where the spec has several responses a union of status and body. */
export const outputType = ({ responses }: Operation, nameOf: NameOf): Code => {
  const [only, ...more] = responses;
  if (only === undefined) return 'void';
  if (more.length === 0) return bodyType(only, nameOf);
  const byBody = new Map<string, { type: Code; statuses: string[] }>();
  for (const response of responses) {
    const type = bodyType(response, nameOf);
    const found = byBody.get(JSON.stringify(type));
    if (found === undefined) byBody.set(JSON.stringify(type), { type, statuses: [String(response.status)] });
    else found.statuses.push(String(response.status));
  }
  return union([...byBody.values()].map(({ type, statuses }) => statusAndBody(statuses, type)));
};

const statusAndBody = (statuses: readonly string[], body: Code): Code => {
  const status = member('status', union(statuses), true);
  return objectType(body === 'void' ? [status] : [status, member('body', body, true)]);
};

const bodyType = ({ contentType, schema }: OperationResponse, nameOf: NameOf): Code => {
  if (contentType === null) return 'void';
  return schema === null ? 'unknown' : schemaToType(schema, nameOf);
};

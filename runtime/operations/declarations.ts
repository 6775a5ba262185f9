/** The operations of the spec by id. */
import type { OperationDeclaration } from '../../contract/operation.js';
import { operations, type Operations } from '../../generated/server/operations.js';

export type Operation = OperationDeclaration<keyof Operations>;

const declarations: ReadonlyMap<string, Operation> = new Map(
  operations.map((operation: Operation) => [operation.id, operation]),
);

/** Returns `undefined` for an operation that this package has no handler of. */
export const findDeclaration = (id: string): Operation | undefined => declarations.get(id);

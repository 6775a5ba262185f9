/** Finds declarations of the spec's operations by id. */
import type { OperationDeclaration } from '../../contract/operation.js';
import { operations, type Operations } from '../../generated/server/operations.js';

export type Operation = OperationDeclaration<keyof Operations>;

const declarations: ReadonlyMap<string, Operation> = new Map(
  operations.map((operation: Operation) => [operation.id, operation]),
);

/** Returns the declaration, or undefined if this package has no handler for the operation. */
export const findDeclaration = (id: string): Operation | undefined => declarations.get(id);

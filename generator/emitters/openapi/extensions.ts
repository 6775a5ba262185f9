/**
 * Extensions by which the server restricts the document to its caller: `x-svc-collection` with `x-svc-action`
 * on everything that describes a collection, `x-svc-access` on what requires a user or an administrator.
 * Properties of a marked schema are fields, except those listed in `x-svc-keep`.
 */
import type { ISpecificationExtension } from 'openapi3-ts/oas31';
import type { Collection } from '../../model/types.js';

/**
 * Marks what describes a collection with the action that a caller needs; the runtime removes it for others.
 */
export const accessExtensions = (
  collection: Collection,
  action: 'read' | 'create' | 'update',
): ISpecificationExtension => ({ 'x-svc-collection': collection.name, 'x-svc-action': action });

/**
 * By these a served document is narrowed to what its caller may do: `x-svc-collection` with `x-svc-action` on
 * everything that shows a collection, `x-svc-access` on what only users or administrators have. Properties of a
 * marked schema are fields, save those that `x-svc-keep` names.
 */
import type { ISpecificationExtension } from 'openapi3-ts/oas31';
import type { Collection } from '../../model/types.js';

export const marks = (
  collection: Collection,
  action: 'read' | 'create' | 'update',
): ISpecificationExtension => ({ 'x-svc-collection': collection.name, 'x-svc-action': action });

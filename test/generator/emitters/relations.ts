/** Relations made by hand, for tests of emitters. */
import type { ManyToOne, OneToMany } from '../../../generator/model/types.js';

export const manyToOne = (name: string, target: string, options: Partial<ManyToOne> = {}): ManyToOne => ({
  kind: 'manyToOne',
  name,
  graphql: name,
  property: `${name}Row`,
  meta: false,
  target,
  fields: [name],
  targetFields: ['id'],
  constrained: true,
  ...options,
});

export const oneToMany = (
  name: string,
  target: string,
  targetField: string,
  options: Partial<OneToMany> = {},
): OneToMany => ({
  kind: 'oneToMany',
  name,
  graphql: name,
  property: name,
  meta: false,
  target,
  fields: ['id'],
  targetFields: [targetField],
  junctionField: null,
  sortField: null,
  deselect: 'nullify',
  written: true,
  ...options,
});

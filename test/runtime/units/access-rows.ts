/** Access rows in short form: a permission reads every field of every book unless the test says otherwise. */
import type { AccessRows } from '../../../runtime/access/policies.js';

type PermissionRow = AccessRows['permissions'][number];

export const permission = (policy: string, parts: Partial<PermissionRow> = {}): PermissionRow => ({
  policy,
  collection: 'book',
  action: 'read',
  permissions: null,
  validation: null,
  presets: null,
  fields: ['*'],
  ...parts,
});

export const accessRows = (parts: Partial<AccessRows> = {}): AccessRows => ({
  version: '1',
  roles: [],
  policies: [],
  access: [],
  permissions: [],
  ...parts,
});

/** The package's own spec, and its tables as `svc bootstrap` leaves them. */
import { fileURLToPath } from 'node:url';
import { loadSpec } from '../../generator/spec/load.js';
import type { Spec } from '../../generator/spec/types.js';
import { specWith, systemTablesOf } from './catalogs.js';

export const ownSpec = await loadSpec([fileURLToPath(new URL('../../spec', import.meta.url))]);

/** The package's own spec with a team's collections. */
export const ownSpecWith = (files: Readonly<Record<string, string>>): Spec => ({
  ...ownSpec,
  collections: new Map([...ownSpec.collections, ...specWith(files).collections]),
});

export const ownTables = systemTablesOf(ownSpec);

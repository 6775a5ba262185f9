/** Checks what others send as a snapshot or a diff, before anything of it is used. */
import { invalidPayload, throwProblems } from '../../../contract/errors.js';
import { vendors } from '../../../generator/introspection/catalog.js';
import { lazy } from '../../concurrency/lazy.js';
import { packageVersion } from '../../config/package.js';
import { accessLists } from '../access-rows/types.js';
import { createAjv } from '../../request/json-schema.js';
import { snapshotJsonSchema } from './json-schema.js';
import { snapshotVersion, type Snapshot } from './types.js';

/** Problems that are reported at once. */
const maxProblems = 20;

const validator = lazy(async () =>
  createAjv({ strict: false, allErrors: true, allowUnionTypes: true }).compile(snapshotJsonSchema),
);

/**
 * Refuses keys that are special to JavaScript, and NUL characters, at any depth.
 * @throws INVALID_PAYLOAD for keys that are special to JavaScript and for NUL characters, at any depth
 */
export const refuseSpecialKeys = (value: unknown, path: readonly string[] = []): void => {
  // the default of a binary column may hold any byte
  if (typeof value === 'string' && value.includes('\0') && path.at(-1) !== 'default_value') {
    throw invalidPayload(`"${path.join('.')}" must not hold NUL characters`);
  }
  if (typeof value !== 'object' || value === null) return;
  for (const [key, part] of Object.entries(value)) {
    if (key === '__proto__' || key === 'constructor' || key === 'prototype') {
      throw invalidPayload(`"${[...path, key].join('.')}" is not allowed as a key`);
    }
    refuseSpecialKeys(part, [...path, key]);
  }
};

/** Checks the form of a snapshot alone. @throws INVALID_PAYLOAD with every problem */
export const checkForm = async (value: unknown): Promise<Snapshot> => {
  refuseSpecialKeys(value);
  const validate = await validator();
  if (!validate(value)) {
    const problems = (validate.errors ?? [])
      .slice(0, maxProblems)
      .map(({ instancePath, message, params }) => {
        const detail = Object.values(params ?? {})
          .flat()
          .join(', ');
        const place =
          instancePath === '' ? 'the snapshot' : `"${instancePath.slice(1).replaceAll('/', '.')}"`;
        return invalidPayload(`${place} ${message} (${detail})`);
      });
    throwProblems(problems);
  }
  const snapshot = value as Snapshot;
  checkDuplicates(snapshot);
  const lacking = accessLists.filter((list) => snapshot[list] === undefined);
  if (lacking.length > 0 && lacking.length < accessLists.length)
    throw invalidPayload(
      `the snapshot lacks ${lacking.join(', ')}; it has all of ${accessLists.join(', ')}, or none`,
    );
  return snapshot;
};

const checkDuplicates = ({ collections, fields }: Snapshot): void => {
  const ids = [
    ...collections.map(({ collection }) => `collection "${collection}"`),
    ...fields.map(({ collection, field }) => `field "${collection}.${field}"`),
  ];
  const seen = new Set<string>();
  const twice = ids.filter((id) => seen.size === seen.add(id).size);
  throwProblems(
    [...new Set(twice)].slice(0, maxProblems).map((id) => invalidPayload(`the ${id} appears more than once`)),
  );
};

export interface SnapshotTarget {
  readonly vendor: string;
  /** Takes snapshots of other versions and vendors. */
  readonly force: boolean;
}

/** Checks a snapshot that is to be compared with a target. @throws INVALID_PAYLOAD with every problem */
export const checkSnapshot = async (value: unknown, { vendor, force }: SnapshotTarget): Promise<Snapshot> => {
  const snapshot = await checkForm(value);
  const problems: string[] = [];
  if (snapshot.version !== snapshotVersion) {
    problems.push(
      `the snapshot has the format version ${snapshot.version ?? 'none'}; this server reads ${snapshotVersion}`,
    );
  }
  if (snapshot.vendor !== undefined && !vendors.some((vendor) => vendor === snapshot.vendor)) {
    problems.push(`the vendor "${snapshot.vendor}" is unknown; expected ${vendors.join(', ')}`);
  } else if (!force && snapshot.vendor !== vendor) {
    problems.push(
      snapshot.vendor === undefined
        ? 'the snapshot names no vendor; send force=true to compare it all the same'
        : `the snapshot is of ${snapshot.vendor}, and this database of ${vendor}; send force=true to compare them`,
    );
  }
  if (!force && snapshot.svc !== packageVersion) {
    problems.push(
      `the snapshot is of version ${snapshot.svc ?? 'none'}, and this server of ${packageVersion}; ` +
        'take a snapshot with the same version, or send force=true',
    );
  }
  throwProblems(problems.map(invalidPayload));
  return snapshot;
};

/**
 * Converts parsed files to one `Spec`: merges files of the same name, validates each file, then the
 * references between them.
 */
import type { ErrorEntry } from '../model/types.js';
import { collectionOf, readCollection, refuseOwnKeys } from './collections.js';
import { faultAt, suggest } from './faults.js';
import { mergeNodes } from './merge.js';
import { checkOperations } from './operation-checks.js';
import { joinTypes, readOperations } from './operations.js';
import { readQueueModel, type QueueModelSpec } from './queue-models.js';
import { listOf, mapOf, optional, record, required, text, wholeNumber } from './read.js';
import type { ApiSpec, CollectionSpec, Spec, SpecFault } from './types.js';
import type { Node } from './yaml.js';

export interface SpecFile {
  /** Relative to its spec folder: `collections/svc_users.yaml`. */
  readonly path: string;
  /** True where the file is part of the package's own spec rather than a team's. */
  readonly own: boolean;
  readonly node: Node;
}

/**
 * Validates all files.
 * @param files the package's own first; a later file extends an earlier one
 */
export const validateSpec = (files: readonly SpecFile[], faults: SpecFault[]): Spec => {
  const errors = readErrors([...documentsOf(files, 'errors.yaml').values()], faults);
  const served = new Set(files.filter(({ own }) => own).flatMap(operationIds));
  const changed = new Set(files.filter(({ own }) => !own).flatMap(operationIds));
  const documents = [...documentsOf(files, 'operations/').values()].map((node) =>
    readOperations(node, { served, changed }, faults),
  );
  const operations = documents.flatMap((document) => document.operations);
  const codes = errors.map(({ code }) => code);
  faults.push(...checkOperations(operations, new Set(codes), (code) => suggestCode(code, codes)));
  return {
    api: readApi([...documentsOf(files, 'api.yaml').values()], faults),
    errors,
    collections: readCollections(
      files.filter(({ path }) => path.startsWith('collections/')),
      faults,
    ),
    operations: operations.map(({ operation }) => operation).sort((a, b) => (a.id < b.id ? -1 : 1)),
    operationTypes: joinTypes(documents, faults),
    queueModels: readQueueModels(files, faults),
  };
};

/** Returns the ids of the operations that a file adds or extends. */
const operationIds = ({ path, node }: SpecFile): readonly string[] => {
  if (!path.startsWith('operations/') || node.kind !== 'map') return [];
  const operations = node.entries.get('operations')?.value;
  return operations?.kind === 'map' ? [...operations.entries.keys()] : [];
};

const suggestCode = (code: string, codes: readonly string[]): string =>
  suggest(code, codes, 'use a code of errors.yaml or add it there');

const readQueueModels = (files: readonly SpecFile[], faults: SpecFault[]): readonly QueueModelSpec[] => {
  const changed = new Set(files.filter(({ own }) => !own).map(({ path }) => path));
  return [...documentsOf(files, 'models/')]
    .flatMap(([path, node]) => readQueueModel({ node, path, own: !changed.has(path) }, faults) ?? [])
    .sort((a, b) => (a.id < b.id ? -1 : 1));
};

/** Returns one merged node for each path that starts with `prefix`. */
const documentsOf = (files: readonly SpecFile[], prefix: string): ReadonlyMap<string, Node> => {
  const merged = new Map<string, Node>();
  for (const { path, node } of files.filter((file) => file.path.startsWith(prefix))) {
    const previous = merged.get(path);
    merged.set(path, previous === undefined ? node : mergeNodes(previous, node));
  }
  return merged;
};

const api = record<ApiSpec>({
  title: required(text),
  version: required(text),
  description: required(text),
  tables: optional<ApiSpec['tables']>(
    record<ApiSpec['tables']>({
      include: optional<readonly string[]>(listOf(text), []),
      exclude: optional<readonly string[]>(listOf(text), []),
    }),
    { include: [], exclude: [] },
  ),
});

const readApi = ([node]: readonly Node[], faults: SpecFault[]): ApiSpec =>
  node === undefined
    ? { title: '', version: '', description: '', tables: { include: [], exclude: [] } }
    : api(node, faults);

const errorEntry = record<Omit<ErrorEntry, 'code' | 'details'> & { details: ReadonlyMap<string, string> }>({
  status: required(wholeNumber),
  message: required(text),
  family: required(text),
  details: optional<ReadonlyMap<string, string>>(
    mapOf(({ value }, _, faults) => text(value, faults)),
    new Map(),
  ),
});

const errorTable = record<{ errors: ReadonlyMap<string, ErrorEntry> }>({
  errors: required(
    mapOf(({ position, value }, code, faults) => {
      const { details, ...entry } = errorEntry(value, faults);
      if (!/^[A-Z][A-Z0-9_]*$/.test(code)) {
        const remedy = 'write it in capitals, as in OUT_OF_STOCK';
        faults.push(faultAt(position, `"${code}" is not an error code`, remedy));
      }
      if (entry.status !== 0 && (entry.status < 400 || entry.status > 599)) {
        faults.push(faultAt(position, `${entry.status} is not an error`, 'use a status from 400 to 599'));
      }
      return { code, ...entry, details: Object.fromEntries(details) };
    }),
  ),
});

const readErrors = ([node]: readonly Node[], faults: SpecFault[]): readonly ErrorEntry[] =>
  node === undefined
    ? []
    : [...errorTable(node, faults).errors.values()].sort((a, b) => (a.code < b.code ? -1 : 1));

const readCollections = (
  files: readonly SpecFile[],
  faults: SpecFault[],
): ReadonlyMap<string, CollectionSpec> => {
  const merged = new Map<string, SpecFile>();
  for (const file of files) {
    const name = collectionOf(file.node, file.path);
    const previous = merged.get(name);
    if (!file.own) refuseOwnKeys(file.node, faults);
    if (previous !== undefined && previous.own === file.own)
      faults.push(duplicateFileFault(name, file, previous));
    if (previous !== undefined && !file.own && isInternal(previous.node))
      faults.push(internalTableFault(name, file));
    merged.set(name, previous === undefined ? file : { ...file, node: mergeNodes(previous.node, file.node) });
  }
  return new Map(
    [...merged]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, { node, path }]) => [name, readCollection(node, path, faults)]),
  );
};

const isInternal = (node: Node): boolean => node.kind === 'map' && node.entries.has('internal');

const internalTableFault = (name: string, file: SpecFile): SpecFault =>
  faultAt(file.node.position, `"${name}" is an internal table of svc`, 'remove the file');

const duplicateFileFault = (name: string, file: SpecFile, previous: SpecFile): SpecFault =>
  faultAt(
    file.node.position,
    `"${name}" is described twice`,
    `${previous.node.position.file} describes it already; keep one file`,
  );

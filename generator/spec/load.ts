/** Reads spec folders. */
import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { SpecError, faultAt, suggest } from './faults.js';
import { findParsed } from './parsed-files.js';
import type { Spec, SpecFault } from './types.js';
import { validateSpec, type SpecFile } from './validate.js';
import { parseYaml } from './yaml.js';

/**
 * Loads spec folders into one spec: the package's own first, then a team's, whose files extend those of the same
 * name, key by key. A folder given twice counts once. Every folder must exist.
 * @throws SpecError with all faults of all files
 */
export const loadSpec = async (folders: readonly string[]): Promise<Spec> => {
  const faults: SpecFault[] = [];
  const files: SpecFile[] = [];
  for (const [index, folder] of distinctFolders(folders, faults).entries()) {
    for (const path of listFiles(folder, faults)) {
      const file = `${folder}/${path}`;
      const text = readFileSync(file, 'utf8');
      const node = findParsed(text, file) ?? parseYaml(text, file, faults);
      if (node !== null) files.push({ path, own: index === 0, node });
    }
  }
  if (!files.some(({ path }) => path === 'api.yaml') && faults.length === 0) {
    faults.push(
      atStart(folders.join(', '), 'the spec has no api.yaml', 'add it with title, version and description'),
    );
  }
  const spec = validateSpec(files, faults);
  if (faults.length > 0) throw new SpecError(faults);
  return spec;
};

const distinctFolders = (folders: readonly string[], faults: SpecFault[]): string[] => {
  const byRealPath = new Map<string, string>();
  for (const folder of folders.map((folder) => folder.replace(/(?<=.)\/+$/, ''))) {
    if (!existsSync(folder)) {
      faults.push(atStart(folder, 'the spec folder does not exist', 'create it or name another'));
      continue;
    }
    const real = realpathSync(folder);
    if (!byRealPath.has(real)) byRealPath.set(real, folder);
  }
  return [...byRealPath.values()];
};

const atStart = (file: string, message: string, remedy: string): SpecFault =>
  faultAt({ file, line: 1, column: 1 }, message, remedy);

const folderNames = ['collections', 'models', 'operations'];
const documents = ['api.yaml', 'errors.yaml'];

/** Returns the sorted paths below the folder; ignores files that are not YAML. */
const listFiles = (folder: string, faults: SpecFault[]): string[] => {
  const paths: string[] = [];
  for (const entry of sortedEntries(folder)) {
    if (entry.isDirectory() && folderNames.includes(entry.name)) {
      paths.push(...listSubfolder(folder, entry.name, faults));
    } else if (!entry.isDirectory() && documents.includes(entry.name)) paths.push(entry.name);
    else if (entry.isDirectory() || isYaml(entry.name)) faults.push(unknownEntry(folder, entry.name));
  }
  return paths;
};

const listSubfolder = (folder: string, folderName: string, faults: SpecFault[]): string[] => {
  const names = sortedEntries(`${folder}/${folderName}`).map(({ name }) => name);
  for (const name of names.filter((name) => name.endsWith('.yml'))) {
    faults.push(
      atStart(`${folder}/${folderName}/${name}`, 'the file is not read', 'rename it to end in ".yaml"'),
    );
  }
  return names.filter((name) => name.endsWith('.yaml')).map((name) => `${folderName}/${name}`);
};

const isYaml = (name: string): boolean => /\.ya?ml$/.test(name);

const unknownEntry = (folder: string, name: string): SpecFault => {
  const known = [...documents, ...folderNames];
  const remedy = suggest(name, known, `a spec folder has ${known.join(', ')}`);
  return atStart(`${folder}/${name}`, 'svc does not know this part of a spec', remedy);
};

const sortedEntries = (folder: string) =>
  readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));

/** Reads spec folders. The only module of the spec that accesses the disk. */
import { readdir, readFile, realpath } from 'node:fs/promises';
import { SpecError, faultAt, suggest } from './faults.js';
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
  for (const [index, folder] of (await distinctFolders(folders, faults)).entries()) {
    for (const path of await listFiles(folder, faults)) {
      const file = `${folder}/${path}`;
      const node = parseYaml(await readFile(file, 'utf8'), file, faults);
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

const distinctFolders = async (folders: readonly string[], faults: SpecFault[]): Promise<string[]> => {
  const byRealPath = new Map<string, string>();
  for (const folder of folders.map((folder) => folder.replace(/(?<=.)\/+$/, ''))) {
    const real = await realpath(folder).catch(() => null);
    if (real === null)
      faults.push(atStart(folder, 'the spec folder does not exist', 'create it or name another'));
    else if (!byRealPath.has(real)) byRealPath.set(real, folder);
  }
  return [...byRealPath.values()];
};

const atStart = (file: string, message: string, remedy: string): SpecFault =>
  faultAt({ file, line: 1, column: 1 }, message, remedy);

const folderNames = ['collections', 'models', 'operations'];
const documents = ['api.yaml', 'errors.yaml'];

/** Returns the sorted paths below the folder; ignores files that are not YAML. */
const listFiles = async (folder: string, faults: SpecFault[]): Promise<string[]> => {
  const paths: string[] = [];
  for (const entry of await sortedEntries(folder)) {
    if (entry.isDirectory() && folderNames.includes(entry.name)) {
      paths.push(...(await listSubfolder(folder, entry.name, faults)));
    } else if (!entry.isDirectory() && documents.includes(entry.name)) paths.push(entry.name);
    else if (entry.isDirectory() || isYaml(entry.name)) faults.push(unknownEntry(folder, entry.name));
  }
  return paths;
};

const listSubfolder = async (folder: string, folderName: string, faults: SpecFault[]): Promise<string[]> => {
  const names = (await sortedEntries(`${folder}/${folderName}`)).map(({ name }) => name);
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

const sortedEntries = async (folder: string) =>
  (await readdir(folder, { withFileTypes: true })).sort((a, b) => (a.name < b.name ? -1 : 1));

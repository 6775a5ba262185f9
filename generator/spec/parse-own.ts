/** Parses the package's own spec files when the package is built, so that nobody waits for it at a start. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { hashOfText, packNode, parsedFilesPath, type PackedNode } from './parsed-files.js';
import type { SpecFault } from './types.js';
import { parseYaml } from './yaml.js';

const [folder = ''] = process.argv.slice(2);
const parsed: Record<string, PackedNode> = {};
for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
  if (!entry.isFile() || !entry.name.endsWith('.yaml')) continue;
  const text = readFileSync(`${entry.parentPath}/${entry.name}`, 'utf8');
  const faults: SpecFault[] = [];
  const node = parseYaml(text, entry.name, faults);
  // files with faults are parsed again by who loads them, with their names in what is reported
  if (node !== null && faults.length === 0) parsed[hashOfText(text)] = packNode(node);
}
writeFileSync(parsedFilesPath, JSON.stringify(parsed));

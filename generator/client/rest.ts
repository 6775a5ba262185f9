/** Generates REST functions with hey-api. Loaded only in the process of the client step. */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@hey-api/openapi-ts';
import type { OutputFile } from '../model/types.js';
import type { Json } from './document.js';

/** Generates the files in a temporary folder, because the tool can only write to disk. */
export const makeRest = async (document: Json): Promise<OutputFile[]> => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-client-'));
  try {
    await createClient({
      // an object, because the tool would look a path with one slash up in a registry
      input: document,
      interactive: false,
      logs: { level: 'silent', file: false },
      output: { path: join(folder, 'rest'), importFileExtension: '.js' },
      plugins: ['@hey-api/typescript', '@hey-api/sdk', '@hey-api/client-fetch'],
    });
    return await readFolder(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

const readFolder = async (folder: string): Promise<OutputFile[]> => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  return Promise.all(
    paths.map(async (path) => ({
      path: `client/src${path.slice(folder.length)}`,
      content: await readFile(path, 'utf8'),
    })),
  );
};

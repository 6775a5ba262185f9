import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SpecError } from '../../../generator/spec/faults.js';
import { loadSpec } from '../../../generator/spec/load.js';

const here = (path: string): string => relative(process.cwd(), fileURLToPath(new URL(path, import.meta.url)));
const cases = here('../../cases');
const names = readdirSync(cases).filter((name) => name.startsWith('spec-'));

const faultsOf = async (folders: readonly string[]): Promise<string> => {
  try {
    await loadSpec(folders);
  } catch (error) {
    if (error instanceof SpecError) return error.message;
    throw error;
  }
  return 'no faults';
};

describe('a faulty spec', () => {
  it.each(names)('%s is reported with file, line, column and remedy of every fault', async (name) => {
    const message = await faultsOf([here('../../../spec'), `${cases}/${name}/spec`]);
    const expected = fileURLToPath(new URL(`../../cases/${name}/expected/errors.txt`, import.meta.url));
    await expect(`${message.replaceAll(cases, 'cases')}\n`).toMatchFileSnapshot(expected);
  });
});

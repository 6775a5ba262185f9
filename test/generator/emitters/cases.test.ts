import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { generate } from '../../../generator/main.js';
import { cases, readTree } from './cases.js';

/** The message of a case that differs. */
const howToUpdate =
  'if this is intended, UPDATE=cases npx vitest run test/generator/emitters renews the expected files; review what it changes';

/** Renews the golden folders; never where CI is set. */
const isUpdate = process.env.UPDATE === 'cases' && !process.env.CI;

describe.each(cases)('the case $name', ({ expected, sources }) => {
  let out: string;
  beforeAll(async () => {
    out = mkdtempSync(join(tmpdir(), 'svc-case-'));
    if (isUpdate) await generate({ ...sources, out: expected, check: false });
  });
  afterAll(() => rmSync(out, { recursive: true, force: true }));

  it('emits exactly the expected files', async () => {
    await generate({ ...sources, out, check: false });
    const [made, wanted] = [readTree(out), readTree(expected)];
    expect([...made.keys()], howToUpdate).toEqual([...wanted.keys()]);
    for (const [path, content] of made)
      expect({ path, content }, howToUpdate).toEqual({ path, content: wanted.get(path) });
  });

  it('is up to date in a check, also from the stored catalog', async () => {
    const stored = { ...sources, from: join(expected, 'catalog.json') };
    for (const options of [sources, stored]) {
      const report = await generate({ ...options, out: expected, check: true });
      expect(report, howToUpdate).toMatchObject({ written: [], removed: [], breaking: [] });
    }
  });
});

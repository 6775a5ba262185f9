import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findParsed } from '../../../generator/spec/parsed-files.js';
import type { SpecFault } from '../../../generator/spec/types.js';
import { parseYaml } from '../../../generator/spec/yaml.js';

const own = join(import.meta.dirname, '../../../spec');
const files = readdirSync(own, { recursive: true, encoding: 'utf8' }).filter((file) =>
  file.endsWith('.yaml'),
);

describe('the package’s own spec files', () => {
  it.each(files)('%s is stored parsed, with all positions', (file) => {
    const text = readFileSync(join(own, file), 'utf8');
    const faults: SpecFault[] = [];
    expect(findParsed(text, file)).toEqual(parseYaml(text, file, faults));
    expect(faults).toEqual([]);
  });

  it('are parsed again if they have changed', () => {
    const text = readFileSync(join(own, 'api.yaml'), 'utf8');
    expect(findParsed(`${text}\n`, 'api.yaml')).toBeNull();
  });
});

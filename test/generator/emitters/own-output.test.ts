/** The output that the package commits is what its generator makes of the committed catalog. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { emit } from '../../../generator/emitters/index.js';
import type { Catalog } from '../../../generator/introspection/catalog.js';
import { buildModel } from '../../../generator/model/build.js';
import { ownSpec } from '../own-spec.js';

const folder = join(import.meta.dirname, '../../../generated');
const catalog = JSON.parse(readFileSync(join(folder, 'catalog.json'), 'utf8')) as Catalog;
const { model } = buildModel({ catalog, spec: ownSpec, forPackage: true });

it.each(emit(model).map(({ path, content }) => ({ path, content })))(
  '$path is committed as it is generated',
  ({ path, content }) => {
    expect(readFileSync(join(folder, path), 'utf8')).toBe(content);
  },
);

/** Checks that the committed output is that of the current database and spec. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { plural } from '../../contract/plural.js';
import type { Catalog } from '../../generator/introspection/catalog.js';
import { generate, type GenerateReport } from '../../generator/main.js';
import { generatedFolder, isPackageOutput, specFolders } from '../config/paths.js';
import { catalogChanges } from '../schema/catalog-changes.js';
import { note, problem, type Check, type Finding } from './check.js';

const catalogFile = join(generatedFolder, 'catalog.json');

export const outputCheck: Check = {
  name: 'generated output',
  async run({ database, config }) {
    if (!existsSync(catalogFile))
      return [note(`there is no ${generatedFolder}/; "svc start" builds from the database instead`)];
    const report = await generate({
      ...config.tables,
      reader: database,
      specFolders: specFolders(),
      out: generatedFolder,
      forPackage: isPackageOutput(generatedFolder),
      check: true,
      ignoresOutdated: true,
    });
    return findDrift(report);
  },
};

const findDrift = ({ written, removed, isSameDatabase, catalog }: GenerateReport): readonly Finding[] => {
  const count = written.length + removed.length;
  if (count === 0) return [];
  if (isSameDatabase === false)
    return [problem(`${generatedFolder}/ is the output of another database; run "svc generate"`)];
  const stale = problem(
    `${plural(count, 'file')} in ${generatedFolder}/ ${count === 1 ? 'is' : 'are'} out of date; run "svc generate"`,
  );
  // a file that is no catalog has no changes to list
  if (isSameDatabase === null) return [stale];
  const stored = JSON.parse(readFileSync(catalogFile, 'utf8')) as Catalog;
  return [stale, ...catalogChanges(stored, catalog).map((change) => note(`since then: ${change}`))];
};

/** Our server in front of the articles that the shapes ask for. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { articlesRecipe, blockKinds } from './data.js';
import type { BenchServer } from './databases.js';
import { prepareProject, runCli, startServer, type Project, type Started } from './servers.js';

/** @param workers number of request processes */
export const startArticles = async (database: BenchServer, workers = 1): Promise<Started> => {
  const project = await prepareProject(database, articlesRecipe, 'articles');
  await writeRelations(project);
  await runCli(project, ['bootstrap']);
  return startServer(project, { workers, probe: '/items/articles?limit=1' });
};

/** The lists of blocks, whose items are of several collections. */
const writeRelations = async ({ folder }: Project): Promise<void> => {
  const spec = join(folder, 'spec', 'collections');
  await mkdir(spec, { recursive: true });
  const relations = [
    { field: 'page_id', one_field: 'blocks', sort_field: 'sort' },
    { field: 'item', one_collection_field: 'kind', one_allowed_collections: blockKinds },
  ];
  // JSON is YAML
  await writeFile(join(spec, 'page_blocks.yaml'), JSON.stringify({ relations }));
};

/** Our server in front of the articles that the shapes ask for. */
import { articlesRecipe } from './data.js';
import { dropSystemTables, prepareDatabase, type BenchServer } from './databases.js';
import { createProject, runCli, startServer, type Started } from './servers.js';

export const startArticles = async (database: BenchServer): Promise<Started> => {
  const { name } = articlesRecipe;
  await prepareDatabase(database, articlesRecipe);
  await dropSystemTables(database, name);
  const project = await createProject(`${database.dialect}-articles`, database.url(name));
  await runCli(project, ['bootstrap']);
  return startServer(project, { workers: 1, probe: '/items/articles?limit=1' });
};

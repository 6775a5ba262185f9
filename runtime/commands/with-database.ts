/** What most commands begin and end with. */
import { loadConfig, type Config } from '../config/config.js';
import { loadEnvironment } from '../config/environment.js';
import { connect } from '../databases/connect.js';
import type { Database } from '../databases/contract.js';
import type { Observe } from '../observe.js';

/** Only what keeps a command waiting is worth a line of its own. */
const observe: Observe = (observation) => {
  if (observation.kind === 'databaseAwaited') process.stderr.write(`waiting for ${observation.reason}\n`);
};

/** Configuration of the working directory, its database open while `body` runs. */
export const withDatabase = async <Result>(
  body: (database: Database, config: Config) => Promise<Result>,
): Promise<Result> => {
  const config = loadConfig(loadEnvironment(process.cwd()));
  const database = await connect(config, observe);
  try {
    return await body(database, config);
  } finally {
    await database.close();
  }
};

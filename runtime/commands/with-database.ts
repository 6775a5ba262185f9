/** Setup and teardown that most commands share. */
import { loadConfig, type Config } from '../config/config.js';
import { loadEnvironment } from '../config/environment.js';
import { connect } from '../databases/connect.js';
import type { Database } from '../databases/contract.js';
import type { Observe } from '../observe.js';

/** Prints only observations that explain a delay, or which database is meant. */
const observe: Observe = (observation) => {
  if (observation.kind === 'databaseDefault')
    process.stderr.write(`DATABASE_URL is not set; using ${observation.url}\n`);
  if (observation.kind === 'databaseAwaited') process.stderr.write(`waiting for ${observation.reason}\n`);
};

/** Runs `body` with the configuration of the working directory and its database open. */
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

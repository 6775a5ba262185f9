/** Assembles what the actions on items share in a process: collections, limits, admission. */
import type { Access } from './access/access.js';
import { readSharedSecret, type Keys } from './auth/keys.js';
import { requirePasswordLength } from './auth/passwords/rules.js';
import type { StaticTokens } from './auth/static-tokens.js';
import { arrivals } from './concurrency/arrivals.js';
import { createFairQueue, type FairQueue } from './concurrency/fair-queue.js';
import type { Config } from './config/config.js';
import { createRegistry, type CollectionDeclaration } from '../contract/collection.js';
import type { Database } from './databases/contract.js';
import { createAnswerBudget } from './execute/answer-budget.js';
import { createCursors } from './items/cursors.js';
import type { ItemServices } from './items/context.js';
import { createEntityTags } from './items/entity-tags.js';
import type { Observe } from './observe.js';
import type { Limits } from './sql/page.js';

interface ItemServiceOptions {
  readonly config: Config;
  readonly database: Database;
  readonly declarations: readonly CollectionDeclaration[];
  readonly observe: Observe;
}

interface Identity {
  readonly staticTokens: StaticTokens;
  readonly access: Access;
  readonly keys: Keys;
}

/** Returns what the actions on items share in a process. */
export const createItemServices = (
  { config, database, declarations, observe }: ItemServiceOptions,
  { staticTokens, access, keys }: Identity,
): ItemServices => ({
  registry: createRegistry(requirePasswordLength(declarations, config.auth.passwordMinLength)),
  database,
  dialect: database.sql,
  limits: limitsOf(config, config.query.limitMax, config.query.rowsMax),
  publicLimits: limitsOf(config, config.query.limitMaxPublic, config.query.rowsMaxPublic),
  maxDepth: config.query.relationalDepth,
  answers: createAnswerBudget(config.answerBytesMax),
  admission: createAdmission(config, database),
  observe,
  toStoredToken: staticTokens.toStored,
  cursors: createCursors(() => readSharedSecret(keys)),
  tagOf: createEntityTags(() => readSharedSecret(keys)),
  confirm: access.confirm,
});

/** Requests that run for each connection of the pool: some wait for the caches or write their answers meanwhile. */
const requestsPerConnection = 4;

/** A database without a server works in the process itself, for a millisecond or less each time. */
const embeddedPerTurn = 16;

const createAdmission = (
  { database, requestQueue }: Config,
  { isEmbedded }: Pick<Database, 'isEmbedded'>,
): FairQueue => {
  const concurrency = database.poolMax * requestsPerConnection;
  return createFairQueue({
    concurrency,
    ...(isEmbedded === true && { perTurn: embeddedPerTurn }),
    arrivals,
    maxTasks: concurrency + requestQueue.max,
    maxWait: requestQueue.wait,
    tasks: 'requests',
    service: 'server',
  });
};

const limitsOf = (config: Config, max: number, rows: number): Limits => ({
  fallback: config.query.limitDefault,
  maximum: max === -1 ? null : max,
  nestedRows: rows === -1 ? null : rows,
});

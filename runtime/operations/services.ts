/** The services available to handlers of operations. */
import type { Access } from '../access/access.js';
import type { Principal } from '../access/principal.js';
import type { Keys } from '../auth/keys.js';
import type { Tokens } from '../auth/tokens.js';
import type { Background } from '../concurrency/background.js';
import type { Config } from '../config/config.js';
import type { Collection } from '../../contract/collection.js';
import type { ItemServices } from '../items/context.js';
import type { Observe } from '../observe.js';
import type { Queue } from '../queue/queue.js';
import type { Transfers } from '../transfers/routes.js';

/**
 * Serves the schema that the database has now, by a new build, then runs `then`: meanwhile nothing waits for the request
 * that calls it. @throws Error
 */
export type Reload = (then?: () => Promise<void>) => Promise<void>;

/** Runs work that counts as a request in progress. */
export type KeepBuild = <Result>(work: () => Promise<Result>) => Promise<Result>;

export interface OperationServices extends ItemServices {
  readonly config: Config;
  readonly access: Access;
  readonly tokens: Tokens;
  /** Keys that sign tokens. */
  readonly keys: Keys;
  readonly observe: Observe;
  /** Path of the OpenAPI document file. */
  readonly openapi: string;
  /** Prints the GraphQL schema that a caller may use. @throws FORBIDDEN when introspection is disabled */
  printGraphql(scope: 'items' | 'system', principal: Principal): Promise<string>;
  /** Loads the queue on first use. */
  readonly loadQueue: () => Promise<Queue>;
  /** Loads imports and exports on first use. */
  readonly loadTransfers: () => Promise<Pick<Transfers, 'startExport'>>;
  /** Tasks that run without delaying the response. */
  readonly background: Background;
  /** Returns what changed in the database since the start. */
  readonly findSchemaChanges?: () => Promise<readonly string[]>;
  /** Returns the public URL of the server. */
  readonly url: () => string;
  /** Absent where a new build takes a restart. */
  readonly reload?: Reload;
  /** Runs work that relies on this build after its request has been answered; absent where a new build takes a restart. */
  readonly keepBuild?: KeepBuild;
  /** Returns why the schema that the database has now cannot be served; null where it can. */
  readonly reloadFailure?: () => string | null;
  /** Path prefix; empty at the root. */
  readonly base: string;
}

/** Returns the collection of users, which every registry has. */
export const usersOf = ({ registry }: Pick<OperationServices, 'registry'>): Collection =>
  registry.collections.get('svc_users') as Collection;

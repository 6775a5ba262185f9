/** What bodies of operations may use, beside what a call brings. */
import type { Access, Principal } from '../access/access.js';
import type { Tokens } from '../auth/tokens.js';
import type { Background } from '../concurrency/background.js';
import type { Config } from '../config/config.js';
import type { ItemServices } from '../items/context.js';
import type { Observe } from '../observe.js';
import type { Queue } from '../queue/http/routes.js';

export interface OperationServices extends ItemServices {
  readonly config: Config;
  readonly access: Access;
  readonly tokens: Tokens;
  readonly observe: Observe;
  /** File of the OpenAPI document. */
  readonly openapi: string;
  /** The GraphQL schema as a caller may see it. @throws FORBIDDEN where introspection is off */
  printGraphql(scope: 'items' | 'system', principal: Principal): Promise<string>;
  /** Loaded when it is first asked for. */
  readonly loadQueue: () => Promise<Queue>;
  /** What no answer waits for. */
  readonly background: Background;
  /** Address of the server as clients know it. */
  readonly url: () => string;
  /** Path that comes before everything; empty at the root. */
  readonly base: string;
}

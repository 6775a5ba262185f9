/** The services and request context used to read and write items. */
import type { Access } from '../access/access.js';
import type { Principal } from '../access/principal.js';
import { resolveQueryVariable } from '../access/query-variables.js';
import { resolveVariable } from '../access/variables.js';
import type { Registry } from '../../contract/collection.js';
import type { Observe } from '../observe.js';
import type { ApiRequest } from '../request/api-request.js';
import type { Database, SqlDialect } from '../databases/contract.js';
import type { BindInput } from '../sql/fragment.js';
import type { FairQueue } from '../concurrency/fair-queue.js';
import type { AnswerBudget } from '../execute/answer-budget.js';
import { createReadBudget, type ReadBudget } from '../execute/read-budget.js';
import { networkOf } from '../network/ip.js';
import { createMatcher, type Matcher } from '../plan/matcher.js';
import type { Limits } from '../sql/page.js';
import type { Cursors } from './cursors.js';
import type { EntityTagOf } from './entity-tags.js';
import type { ToStoredToken } from './hash.js';

/** Services shared by all requests. */
export interface ItemServices {
  readonly registry: Registry;
  readonly database: Database;
  readonly dialect: SqlDialect;
  readonly limits: Limits;
  /** Limits of callers without a user. */
  readonly publicLimits: Limits;
  readonly maxDepth: number;
  readonly answers: AnswerBudget;
  /** Bounds the requests that run and wait. */
  readonly admission: FairQueue;
  readonly observe: Observe;
  readonly toStoredToken: ToStoredToken;
  readonly cursors: Cursors;
  /** Returns the entity tag of an answer. */
  readonly tagOf: EntityTagOf;
  /** Checks that access has not changed since a principal was identified; see `Access.confirm`. */
  readonly confirm: Access['confirm'];
}

/** Context of one request. */
export interface ItemContext extends ItemServices {
  readonly principal: Principal;
  readonly client: Client;
  readonly now: Date;
  readonly budget: ReadBudget;
  readonly matches: Matcher;
  /** Identifies the caller among those that share the server. */
  readonly caller: () => string;
  /** Present where a write stores nothing. */
  readonly dryRun?: DryRun;
  /** Receives the number of rows of each part of an export. */
  readonly onRows?: (count: number) => void;
  /** Skips reading the rows that a write stores. */
  readonly omitsOutput?: true;
}

/** A write that is only tried. */
export interface DryRun {
  /** Number of rows that the write meets. */
  rows: number;
}

/** Address, headers and connection of the client. */
export type Client = Pick<ApiRequest, 'address' | 'headers' | 'onClose'>;

/**
 * Returns the context of one request. Built field by field, because spreading the services costs more than reading an
 * item (measured).
 */
export const createContext = (services: ItemServices, principal: Principal, client: Client): ItemContext => {
  const { limits, publicLimits, answers } = services;
  const caller = (): string => principal.user?.id ?? networkOf(client.address());
  const { nestedRows } = principal.user === null ? publicLimits : limits;
  return {
    registry: services.registry,
    database: services.database,
    dialect: services.dialect,
    limits,
    publicLimits,
    maxDepth: services.maxDepth,
    answers,
    admission: services.admission,
    observe: services.observe,
    toStoredToken: services.toStoredToken,
    cursors: services.cursors,
    tagOf: services.tagOf,
    confirm: services.confirm,
    principal,
    client,
    now: new Date(),
    caller,
    matches: createMatcher(),
    budget: createReadBudget(nestedRows, answers.open(caller, client.onClose)),
  };
};

/** Returns the limits of a caller: those of the public without a user. */
export const limitsOf = ({ principal, limits, publicLimits }: ItemContext): Limits =>
  principal.user === null ? publicLimits : limits;

/**
 * Returns the values of a request for the statements of its plan. Variables in rules and in queries resolve
 * differently.
 */
export const bindInput = (
  { principal, registry, now }: ItemContext,
  { values = [], keys = [] }: { readonly values?: readonly unknown[]; readonly keys?: readonly unknown[] },
): BindInput => ({
  values,
  keys,
  resolve: (value) => resolveVariable(value, principal, now),
  resolveQueryValue: (value) => resolveQueryVariable(value, { principal, registry, now }),
});

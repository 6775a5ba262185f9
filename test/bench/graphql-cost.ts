/**
 * Measures the cost that GraphQL adds to a read, without HTTP and without a database: `npx tsx test/bench/graphql-cost.ts`. Prints CPU
 * microseconds of each step for the document of the shape `graphql`, on the collections of the demo.
 */
import { readFileSync } from 'node:fs';
import { collections } from '../../generated/server/index.js';
import type { Principal } from '../../runtime/access/principal.js';
import { createPolicyIndex } from '../../runtime/access/policies.js';
import { createRegistry, type Collection } from '../../contract/collection.js';
import type { ApiError } from '../../contract/errors.js';
import type { Executor } from '../../runtime/databases/contract.js';
import { RowCollector } from '../../runtime/execute/row-set.js';
import type { CallContext } from '../../runtime/graphql/compile.js';
import { compileDocument } from '../../runtime/graphql/document.js';
import { createDocuments } from '../../runtime/graphql/document-cache.js';
import { executeOperation } from '../../runtime/graphql/execute.js';
import { createViews } from '../../runtime/graphql/schema.js';
import { readList } from '../../runtime/items/read.js';
import { parseQuery } from '../../runtime/request/query.js';
import { loadDialect } from '../../runtime/databases/open.js';
import { toStoredToken } from '../runtime/harness/plain-tokens.js';
import { unboundedServices } from '../runtime/harness/unbounded-services.js';
import { unlimitedReads } from '../../runtime/execute/read-budget.js';
import { createMatcher } from '../../runtime/plan/matcher.js';

const document = `query ($after: GraphQLStringOrFloat) {
  Album(filter: { AlbumId: { _gt: $after } }, sort: ["AlbumId"], limit: 50) {
    AlbumId
    Title
    ArtistId { ArtistId Name }
    Track { GenreId { GenreId Name } }
  }
}`;
const fields = 'AlbumId,Title,ArtistId.ArtistId,ArtistId.Name,Track.GenreId.GenreId,Track.GenreId.Name';
const queryString = (after: number): string =>
  `fields=${fields}&filter[AlbumId][_gt]=${after}&sort=AlbumId&limit=50`;

const registry = createRegistry(collections);
const book = createPolicyIndex({
  version: '1',
  roles: [],
  policies: [{ id: 'admin', admin: true }],
  access: [{ policy: 'admin', role: null, user: null }],
  permissions: [],
});
const principal: Principal = {
  user: null,
  needsSecondFactor: false,
  session: null,
  credentialDigest: '',
  policies: book.policiesOf(null),
  roles: [],
  records: book.records,
  version: '1',
};
const options = {
  registry,
  introspection: true,
  maxTokens: 5_000,
  loadHandlers: () => Promise.reject(new Error('no operation is run here')),
};

const reportError = (error: unknown): ApiError => {
  throw error;
};

const measure = async (name: string, run: (turn: number) => unknown): Promise<void> => {
  const turns = 20_000;
  for (let turn = 0; turn < turns / 4; turn += 1) await run(turn);
  const before = process.cpuUsage();
  for (let turn = 0; turn < turns; turn += 1) await run(turn);
  const { user, system } = process.cpuUsage(before);
  process.stdout.write(`${((user + system) / turns).toFixed(2).padStart(9)} µs  ${name}\n`);
};

const loaded = performance.now();
const view = await createViews({ folder: 'generated/graphql', registry }).of('items', principal);
process.stdout.write(
  `${((performance.now() - loaded) * 1000).toFixed(0).padStart(9)} µs  schema of ${readFileSync('generated/graphql/items.graphql').length} bytes, once\n`,
);

const documents = createDocuments(options);
const call = (after: number) => ({ document, operationName: null, variables: { after }, isReadOnly: false });
const body = JSON.stringify({ query: document, variables: { after: 12_345 } });
const compiled = compileDocument(call(1), view, options);

/** Answers every statement with no row. */
const empty: Executor = {
  quote: (name) => name,
  rows: async () => new RowCollector(0, { limit: 0 }).finish(),
  query: async () => [],
  write: async () => ({ affected: 0 }),
  writeRows: async () => new RowCollector(0, { limit: 0 }).finish(),
};
const limits = { fallback: 100, maximum: null, nestedRows: null };
const dialect = await loadDialect('sqlite');
const context: CallContext = {
  registry,
  database: {
    ...empty,
    dialect: 'sqlite',
    sql: dialect,
    reserved: empty,
    readUntil: () => ({ ...empty, rowsInChunks: async () => {} }),
    transaction: (run) => run(empty),
    changeSchema: (run) => run(empty),
    locked: (_, run) => run(new AbortController().signal),
    poolUse: () => ({ maximum: 1, used: 0, waiting: 0 }),
    isConnectionLoss: () => false,
    isSchemaChange: () => false,
    isGivenUp: () => false,
    refusalOf: () => null,
    close: async () => {},
  },
  dialect,
  limits,
  publicLimits: limits,
  maxDepth: 10,
  ...unboundedServices,
  toStoredToken,
  confirm: () => true,
  observe: () => undefined,
  principal,
  client: { address: () => '127.0.0.1', headers: {}, onClose: () => undefined },
  caller: () => 'bench',
  matches: createMatcher(),
  budget: unlimitedReads(),
  now: new Date(),
  operation: () => {
    throw new Error('no operation is run here');
  },
};
const collection = registry.collections.get('Album') as Collection;

await measure('REST: the query string parsed', (turn) => parseQuery(queryString(turn)));
await measure('REST: parsed and run on nothing', (turn) =>
  readList({ collection, parsed: parseQuery(queryString(turn)) }, context),
);
await measure('GraphQL: the body parsed', () => JSON.parse(body));
await measure('GraphQL: the document looked up', (turn) => documents.compile(call(turn), view));
await measure('GraphQL: variables and arguments', (turn) => compiled.prepare({ after: turn }));
await measure('GraphQL: all of that, and run on nothing', (turn) => {
  const operation = documents.compile({ ...call(0), ...(JSON.parse(body) as object) }, view);
  const roots = operation.prepare({ after: turn });
  return executeOperation(operation, roots, { context, reportError, isOutdated: () => false });
});
await measure('GraphQL: a document parsed, checked and compiled', () =>
  compileDocument(call(1), view, options),
);

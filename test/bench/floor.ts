/**
 * The floor: what a competent engineer writes by hand for just these shapes. `node:http`, prepared statements,
 * one process; no router, no authentication, no query language. The process is `node floor.mjs DATABASE_URL`; it
 * prints its address.
 *
 * Tried and left out, each with its cost in CPU microseconds a request (MariaDB, without HTTP, floor as it is: page
 * 379 node + 420 database, flat 100 + 100, one 33 + 34):
 * - the text protocol (`query`): page 497 + 474, flat 147 + 104, one 43 + 49
 * - rows as arrays, text joined by hand: page 449 + 409, flat 132 + 94
 * - JSON made by the database with `json_object`: page 106 + 960, flat 61 + 179, one 36 + 44
 * - JSON made by the database with `concat`: page 99 + 779, flat 59 + 131, one 36 + 41
 * - the promise API instead of callbacks: one 43 + 40
 * JSON made by the database has the quicker Node process and the slower sum; the floor is the plain way.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Row } from './floor-rows.js';

/** Responses of one database in wire form. */
export interface FloorStore {
  one(id: number): Promise<unknown>;
  flat(after: number): Promise<unknown[]>;
  page(status: string, offset: number): Promise<unknown[]>;
  nest(after: number): Promise<unknown[]>;
  deep(after: number): Promise<unknown[]>;
  filter(tag: string): Promise<unknown[]>;
  create(draft: Draft): Promise<Row>;
  /** Creates `bulkCount` rows and returns their keys. */
  createMany(drafts: readonly Draft[]): Promise<unknown[]>;
  /** Creates a draft with its notes and links, and returns its key. */
  createNested(draft: NestedDraft): Promise<Row>;
  aggregate(status: string, from: string, to: string): Promise<unknown[]>;
  pages(after: number): Promise<unknown[]>;
  cursor(after: number): Promise<unknown[]>;
  /** Returns rows as they arrive. */
  export(after: number): AsyncIterable<Row>;
}

export interface Draft {
  readonly title: string;
  readonly slug: string;
  readonly status: string;
  readonly views: number;
  readonly rating: string;
  readonly featured: boolean;
  readonly published_at: string;
  readonly author_id: number;
  readonly body: string;
}

export interface NestedDraft extends Draft {
  readonly draft_notes: readonly { readonly text: string }[];
  readonly draft_tags: readonly { readonly tag_id: number }[];
}

const openStore = async (url: string): Promise<FloorStore> => {
  if (url.startsWith('sqlite:')) {
    return (await import('./floor-sqlite.js')).openSqliteStore(url.slice('sqlite:'.length));
  }
  return url.startsWith('postgres:')
    ? (await import('./floor-postgres.js')).openPostgresStore(url)
    : (await import('./floor-mysql.js')).openMysqlStore(url);
};

const answer = async (store: FloorStore, request: IncomingMessage): Promise<unknown> => {
  const [path = '', search] = (request.url ?? '').split('?', 2);
  if (path === '/create') return store.create(JSON.parse(await readBody(request)) as Draft);
  if (path === '/create-list') {
    return { ...(await store.create(JSON.parse(await readBody(request)) as Draft)), draft_tags: [] };
  }
  if (path === '/bulk') return store.createMany(JSON.parse(await readBody(request)) as Draft[]);
  if (path === '/nested') return store.createNested(JSON.parse(await readBody(request)) as NestedDraft);
  const query = new URLSearchParams(search);
  if (path === '/one') return store.one(Number(query.get('id')));
  if (path === '/flat') return store.flat(Number(query.get('after')));
  if (path === '/page') return store.page(query.get('status') ?? '', Number(query.get('offset')));
  if (path === '/nest') return store.nest(Number(query.get('after')));
  if (path === '/deep') return store.deep(Number(query.get('after')));
  if (path === '/filter') return store.filter(query.get('tag') ?? '');
  if (path === '/aggregate')
    return store.aggregate(query.get('status') ?? '', query.get('from') ?? '', query.get('to') ?? '');
  if (path === '/pages') return store.pages(Number(query.get('after')));
  if (path === '/cursor') return store.cursor(Number(query.get('after')));
  throw new Error(`no such path: ${path}`);
};

const readBody = (request: IncomingMessage): Promise<string> =>
  new Promise((resolve, reject) => {
    let text = '';
    request.setEncoding('utf8');
    request.on('data', (chunk: string) => (text += chunk));
    request.on('end', () => resolve(text));
    request.on('error', reject);
  });

const send = (response: ServerResponse, status: number, body: unknown): void => {
  const text = JSON.stringify(body);
  response.writeHead(status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(text),
  });
  response.end(text);
};

/** Prints a list as it is read, in parts of about 64 KiB. */
async function* printRows(rows: AsyncIterable<Row>): AsyncGenerator<string, void, void> {
  let text = '[';
  let between = '';
  for await (const row of rows) {
    text += between + JSON.stringify(row);
    between = ',';
    if (text.length < 65_536) continue;
    yield text;
    text = '';
  }
  yield `${text}]`;
}

const sendRows = async (response: ServerResponse, rows: AsyncIterable<Row>): Promise<void> => {
  response.writeHead(200, { 'Content-Type': 'application/json; charset=utf-8' });
  await pipeline(Readable.from(printRows(rows), { objectMode: false }), response);
};

const store = await openStore(process.argv[2] ?? '');

const server = createServer((request, response) => {
  const exported = /^\/export\?after=(\d+)$/.exec(request.url ?? '');
  if (exported !== null) {
    sendRows(response, store.export(Number(exported[1]))).catch(() => response.destroy());
    return;
  }
  answer(store, request).then(
    (data) => send(response, 200, { data }),
    (error: Error) => send(response, 500, { error: error.message }),
  );
});

server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});

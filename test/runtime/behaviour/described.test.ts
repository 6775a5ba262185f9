/** Answers are as the OpenAPI document of their caller describes them. */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import { useServer } from '../harness/use-server.js';
import { settingsOf, type Answer, type TestAccess } from '../server-harness.js';
import { libraryMeta, librarySql } from './library.js';

const settings = settingsOf(import.meta.url);

const access: TestAccess = {
  policies: {
    Few: [
      {
        collection: 'book',
        action: 'read',
        fields: ['id', 'title', 'author', 'shelves'],
        permissions: { author: { _eq: 2 } },
      },
      { collection: 'book', action: 'create', fields: ['title', 'note'] },
      { collection: 'book', action: 'update', fields: ['title'], permissions: { lent: { _eq: false } } },
      { collection: 'author', action: 'read', fields: ['*'] },
      { collection: 'review', action: 'create', fields: ['*'] },
    ],
    Recent: [
      {
        collection: 'book',
        action: 'read',
        fields: ['id', 'year', 'stock'],
        permissions: { year: { _gt: 1990 } },
      },
    ],
  },
  users: { both: { policies: ['Few', 'Recent'] } },
};

type Node = Readonly<Record<string, unknown>>;

/** The node a reference leads to. */
const follow = (document: Node, node: unknown): Node => {
  const { $ref } = node as { readonly $ref?: string };
  if ($ref === undefined) return node as Node;
  const found = $ref
    .slice(2)
    .split('/')
    .reduce<unknown>((place, name) => (place as Node)[unescape(name)], document);
  return follow(document, found);
};

const unescape = (name: string): string =>
  decodeURIComponent(name).replaceAll('~1', '/').replaceAll('~0', '~');

const createJudge = (document: Node) => {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  formats.default(ajv);
  ajv.addSchema(document, 'document');
  const compiled = new Map<string, ValidateFunction>();
  return (operation: readonly [path: string, method: string], answer: Answer): readonly unknown[] => {
    const [path, method] = operation;
    const described = follow(document, (document.paths as Node)[path])[method] as Node | undefined;
    const response = (described?.responses as Node | undefined)?.[answer.status];
    if (response === undefined)
      return [`${method} ${path} does not describe ${answer.status}: ${answer.text}`];
    const content = follow(document, response).content as Node | undefined;
    if (content === undefined) return answer.text === '' ? [] : ['a body where none is described'];
    const [type = '', media] = Object.entries(content)[0] ?? [];
    const said = answer.headers.get('content-type') ?? '';
    if (!said.startsWith(type)) return [`the type is ${said} instead of ${type}`];
    const { schema } = media as { readonly schema: Node };
    const text = JSON.stringify(schema).replaceAll('"$ref":"#/', '"$ref":"document#/');
    const validate = compiled.get(text) ?? ajv.compile(JSON.parse(text) as Node);
    compiled.set(text, validate);
    const isValid = validate(type.endsWith('json') ? answer.body : answer.text);
    return isValid
      ? []
      : (validate.errors ?? []).map(
          ({ instancePath, message }) => `${instancePath} ${message}: ${answer.text}`,
        );
  };
};

type Sample = readonly [method: string, template: string, path: string, body?: unknown];

const reads: readonly Sample[] = [
  ['GET', '/items/book', '/items/book?limit=3'],
  ['GET', '/items/book', '/items/book?fields=*.*&sort=-id&limit=8&meta=*'],
  [
    'GET',
    '/items/book',
    '/items/book?fields=title,author.name,shelves.shelf.room,review.stars&filter[id][_gt]=200',
  ],
  ['GET', '/items/book', '/items/book?fields=colour'],
  ['GET', '/items/book', '/items/book?limit=many'],
  ['GET', '/items/book/{key}', '/items/book/201'],
  ['GET', '/items/book/{key}', '/items/book/201?fields=*.*'],
  ['GET', '/items/book/{key}', '/items/book/9999'],
  ['GET', '/items/author', '/items/author?fields=*,books.*'],
  ['GET', '/items/author/{key}', '/items/author/3'],
  ['SEARCH', '/items/book', '/items/book', { query: { limit: 2, fields: ['id', 'author.*'] } }],
  ['SEARCH', '/items/book', '/items/book', { keys: [201, 204] }],
  ['SEARCH', '/items/book', '/items/book', { query: { limit: -9 } }],
  ['GET', '/server/ping', '/server/ping'],
  ['GET', '/server/health', '/server/health'],
  ['GET', '/server/specs/oas', '/server/specs/oas'],
];

const adminReads: readonly Sample[] = [
  ['GET', '/items/book_shelf', '/items/book_shelf?fields=*.*'],
  ['GET', '/items/book_shelf/{key}', '/items/book_shelf/201,1'],
  ['GET', '/items/country/{key}', '/items/country/de?fields=*,author.*'],
  ['GET', '/users', '/users?fields=*.*'],
  ['GET', '/roles', '/roles'],
  ['GET', '/policies', '/policies?fields=*,permissions.*,access.*'],
  ['GET', '/permissions', '/permissions'],
  ['GET', '/access', '/access?fields=*.*'],
];

const writes: readonly Sample[] = [
  ['POST', '/items/book', '/items/book', { title: 'New', note: 'n' }],
  ['POST', '/items/book', '/items/book', [{ title: 'New' }, { title: 'Newer' }]],
  ['POST', '/items/book', '/items/book', { title: null }],
  ['POST', '/items/book', '/items/book', { title: 'x'.repeat(99) }],
  ['POST', '/items/book', '/items/book', 'text'],
  ['POST', '/items/book', '/items/book?fields=colour', { title: 'x' }],
  ['PATCH', '/items/book/{key}', '/items/book/201', { title: 'Changed' }],
  ['PATCH', '/items/book/{key}', '/items/book/201', { title: 5 }],
  ['PATCH', '/items/book', '/items/book', { keys: [201, 203], data: { title: 'Both' } }],
  ['PATCH', '/items/book', '/items/book', { keys: [201] }],
  ['POST', '/items/review', '/items/review', { book: 201, stars: 3 }],
  ['POST', '/items/review', '/items/review', { book: 9999, stars: 3 }],
];

const adminWrites: readonly Sample[] = [
  ['POST', '/items/book', '/items/book', { title: 'x', isbn: 'B-1' }],
  ['POST', '/items/book', '/items/book', { title: 'x', year: 99_999 }],
  ['PATCH', '/items/book/{key}', '/items/book/201', { stock: -1 }],
  ['PATCH', '/items/book/{key}', '/items/book/201', { colour: 'red', year: 'x' }],
  ['PATCH', '/items/book', '/items/book', [{ id: 202, price: '1.5' }]],
  ['DELETE', '/items/book/{key}', '/items/book/202'],
  ['DELETE', '/items/book/{key}', '/items/book/204'],
  ['DELETE', '/items/book', '/items/book', []],
  ['DELETE', '/items/book_shelf', '/items/book_shelf', ['203,1']],
  ['DELETE', '/items/book', '/items/book', {}],
];

describe.each(settings)('the description on $dialect through $listener', (setting) => {
  const server = useServer({ ...setting, sql: librarySql(setting.dialect), meta: libraryMeta, access });

  /** Differences from the description, by sample. */
  const faultsOf = async (as: string, samples: readonly Sample[]): Promise<readonly unknown[]> => {
    const { body } = await server().request('GET', '/server/specs/oas', { as });
    const judge = createJudge(body as Node);
    const seen: unknown[] = [];
    for (const [method, template, path, sent] of samples) {
      const answer = await server().request(method, path, { as, ...(sent !== undefined && { body: sent }) });
      const key = method === 'SEARCH' ? 'x-svc-search' : method.toLowerCase();
      const faults = judge([template, key], answer);
      if (faults.length > 0) seen.push({ method, path, faults });
    }
    return seen;
  };

  it('does not match another response', async () => {
    const judge = createJudge(server().openapi);
    const answer = await server().request('GET', '/items/book/201', { as: 'admin' });
    const changes = [{ id: 'x' }, { price: 5 }, { title: null }, { shelves: 3 }];
    for (const change of changes) {
      const body = { data: { ...(answer.data as object), ...change } };
      expect({ change, faults: judge(['/items/book/{key}', 'get'], { ...answer, body }).length }).toEqual({
        change,
        faults: 1,
      });
    }
    expect(judge(['/items/book/{key}', 'get'], { ...answer, status: 418 })).toHaveLength(1);
  });

  it('matches the reads of an administrator', async () => {
    expect(await faultsOf('admin', [...reads, ...adminReads])).toEqual([]);
  });

  it('matches the reads of a user, with null for cells hidden by another policy', async () => {
    expect(await faultsOf('both', reads)).toEqual([]);
  });

  it('matches the writes of a user', async () => {
    expect(await faultsOf('both', writes)).toEqual([]);
  });

  it('matches the writes of an administrator', async () => {
    expect(await faultsOf('admin', [...writes, ...adminWrites])).toEqual([]);
  });

  it('matches errors of bodies with another type and of oversized bodies', async () => {
    const judge = createJudge(server().openapi);
    const send = (raw: string, type: string) =>
      server().request('POST', '/items/book', { as: 'admin', raw, headers: { 'content-type': type } });
    expect(judge(['/items/book', 'post'], await send('{}', 'text/plain'))).toEqual([]);
    expect(judge(['/items/book', 'post'], await send('{', 'application/json'))).toEqual([]);
    expect(judge(['/items/book', 'post'], await send('x'.repeat(1_100_000), 'application/json'))).toEqual([]);
    const unknown = await server().request('GET', '/items/book', {
      headers: { authorization: 'Bearer nobody-knows' },
    });
    expect(judge(['/items/book', 'get'], unknown)).toEqual([]);
  });
});

import { describe, expect, it } from 'vitest';
import { emitDocs } from '../../../generator/emitters/docs/index.js';
import { emitErrors } from '../../../generator/emitters/errors/index.js';
import type { Collection, JsonSchema, QueueModel } from '../../../generator/model/types.js';
import type { ErrorCode, ErrorDetails } from '../../cases/shop/expected/server/errors.js';
import { collection, counter, field, model } from '../models.js';
import { manyToOne } from './relations.js';

const pageOf = (one: Collection): string =>
  emitDocs(model([one])).find(({ path }) => path === `docs/${one.names.file}.md`)?.content ?? '';

describe('the page of a collection', () => {
  it('shows every request of an ordinary table', () => {
    const page = pageOf(collection('thing', [counter('id')]));
    const requests = Array.from(page.matchAll(/^\| `([A-Z]+ \S+)` \|/gm), ([, request]) => request);
    expect(requests).toEqual([
      'GET /items/thing',
      'SEARCH /items/thing',
      'POST /items/thing',
      'PATCH /items/thing',
      'DELETE /items/thing',
      'GET /items/thing/{key}',
      'PATCH /items/thing/{key}',
      'DELETE /items/thing/{key}',
      'POST /items/thing/import',
      'POST /items/thing/export',
    ]);
  });

  it('shows the format of a composite key', () => {
    const page = pageOf(
      collection('thing', [field('a', 'integer'), field('b', 'integer')], { key: ['a', 'b'] }),
    );
    expect(page).toContain('`GET /items/thing/{a},{b}`');
  });

  it.each([
    ['view', { kind: 'view' as const }],
    ['table without a key', { key: [] }],
  ])('shows only lists and exports of a %s', (_, options) => {
    const page = pageOf(collection('thing', [counter('id')], options));
    expect(page.match(/`[A-Z]+ \/items\/thing\S*`/g)).toEqual([
      '`GET /items/thing`',
      '`SEARCH /items/thing`',
      '`POST /items/thing/export`',
    ]);
  });

  it('shows a singleton as one item', () => {
    const page = pageOf(collection('thing', [counter('id')], { singleton: true }));
    expect(page.match(/`[A-Z]+ \/items\/thing`/g)).toEqual(['`GET /items/thing`', '`PATCH /items/thing`']);
  });

  it('states that a collection is not served', () => {
    expect(pageOf(collection('thing', [counter('id')], { path: null }))).toContain('not served over REST');
  });

  it.each([
    ['string', 'string, up to 3 characters'],
    ['binary', 'string in Base64, up to 3 bytes'],
    ['vector', 'array of numbers, up to 3 numbers'],
  ] as const)('shows the length of a %s in its unit', (type, shown) => {
    expect(pageOf(collection('thing', [field('a', type, { length: 3 })]))).toContain(
      `| ${type} | ${shown} |`,
    );
  });

  it('keeps notes and names in their cells', () => {
    const page = pageOf(
      collection('thing', [field('a|b', 'string', { note: '<script>\n| x' })], {
        relations: [manyToOne('a|b', 'th|ng')],
      }),
    );
    expect(page).toContain('| <code>a&#124;b</code> | string | string | &lt;script> \\| x. |');
    expect(page).toContain('| <code>a&#124;b</code> | many to one | <code>th&#124;ng</code> |');
  });

  it('quotes examples for a shell', () => {
    const names = ['id', '$(rm)', '"; rm', 'name'];
    const page = pageOf(
      collection(
        'thing',
        names.map((name) => field(name, 'string')),
      ),
    );
    expect(page).toContain('"$URL/items/thing?fields=id,name&limit=3"');
  });
});

const queuePageOf = (input: JsonSchema): string => {
  const queueModel: QueueModel = {
    id: 'shop/words',
    title: 'Words',
    description: 'Counts words.',
    access: 'user',
    runner: { kind: 'http', url: 'http://127.0.0.1/words', headers: {} },
    class: 'default',
    timeout: 1000,
    attempts: 1,
    concurrency: { model: 1, account: 1 },
    input,
    output: { type: 'object' },
    names: { file: 'words', type: 'Words' },
  };
  const files = emitDocs(model([], { queueModels: [queueModel] }));
  return files.find(({ path }) => path === 'docs/models/words.md')?.content ?? '';
};

describe('the page of a queue model', () => {
  it('has a runnable example if the model defines none', () => {
    const input = {
      type: 'object',
      required: ['size', 'kind', 'text'],
      properties: {
        size: { type: 'integer', minimum: 8 },
        kind: { enum: ['a', 'b'] },
        text: { type: 'string' },
        more: { type: 'string' },
      },
    };
    expect(queuePageOf(input)).toContain(`-d '{"size":8,"kind":"a","text":"example"}'`);
  });

  it('describes a property without a type', () => {
    const page = queuePageOf({ type: 'object', properties: { any: {}, one: { enum: ['x', 1] } } });
    expect(page).toContain('| `any` | any JSON |');
    expect(page).toContain('| `one` | one of `"x"`, `1` |');
  });
});

describe('the error table', () => {
  it('lists the extension keys of each code', () => {
    const [file] = emitErrors(model([]));
    expect(file?.content).toContain(
      "  INVALID_PAYLOAD: { status: 400, message: 'Invalid payload', details: ['reason'] },",
    );
  });

  it('has no keys of other codes', () => {
    const told: ErrorDetails['FORBIDDEN'] = { reason: 'why' };
    // @ts-expect-error the table has no such key for this code
    const wrong: ErrorDetails['FORBIDDEN'] = { because: 'why' };
    // @ts-expect-error the table has no such code
    const missing: ErrorCode = 'TEAPOT';
    // @ts-expect-error this code tells nothing
    const talkative: ErrorDetails['INVALID_CREDENTIALS'] = { reason: 'why' };
    expect([told, wrong, missing, talkative]).toHaveLength(4);
  });

  it('is on the first page', () => {
    const page = emitDocs(model([])).find(({ path }) => path === 'docs/index.md')?.content;
    expect(page).toContain(
      '| `FORBIDDEN` | 403 | You have no permission for this, or it does not exist | `reason`:',
    );
  });
});

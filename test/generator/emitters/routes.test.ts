import { describe, expect, it } from 'vitest';
import { emitRoutes } from '../../../generator/emitters/routes/index.js';
import { reservedComponents } from '../../../generator/model/operation-stems.js';
import { openApiDocument } from '../../../generator/emitters/openapi/index.js';
import { albums, collection, counter, model } from '../models.js';

const emit = (given: Parameters<typeof emitRoutes>[0]): string => emitRoutes(given)[0]?.content ?? '';

describe('the table of routes', () => {
  it('has a line for each collection, by the name of its file and the end of its operation ids', () => {
    const content = emit(albums());
    expect(content).toContain("\n  ...svc.itemRoutes(Album, 'Album'),\n");
    expect(content).toContain("import { Album } from './album.js';");
  });

  it('omits collections that REST does not serve', () => {
    const hidden = collection('hidden', [counter('id')], { path: null });
    expect(emit(model([hidden]))).not.toContain('hidden');
  });

  it('writes parameters in the syntax of the router', () => {
    const [ping] = model([]).operations;
    if (ping === undefined) throw new Error('the model has no operation');
    const operation = { ...ping, id: 'thingDo', method: 'put', path: '/things/{id}/parts/{part}' } as const;
    const [, { content } = { content: '' }] = emitRoutes(model([], { operations: [operation] }));
    expect(content).toContain(
      "\n  svc.route('PUT /things/:id/parts/:part', { operation: 'thingDo', access: 'public' }),\n",
    );
  });

  it('lists operations that a team changed, and system operations in a separate file', () => {
    const [ping] = model([]).operations;
    if (ping === undefined) throw new Error('the model has no operation');
    const described = { ...ping, id: 'thingDescribe', path: '/described', own: false, served: false };
    const operations = [ping, { ...ping, id: 'thingDo', path: '/things', own: false }, described];
    const [table, systemTable] = emitRoutes(model([], { operations }));
    expect(table?.content).toContain("'GET /things'");
    expect(table?.content).not.toContain('serverPing');
    expect(systemTable?.content).toContain('serverPing');
    expect(systemTable?.content).not.toContain('thingDo');
    // svc answers it with 404
    expect([table, systemTable].map((file) => file?.content).join()).not.toContain('/described');
    expect(emitRoutes(model([], { operations, forPackage: false }))).toHaveLength(1);
  });

  it('avoids the names of collections', () => {
    const content = emit(model(['routes', 'svc'].map((name) => collection(name, [counter('id')]))));
    for (const [name, local] of [
      ['routes', 'svcRoutes'],
      ['svc', 'svcSvc'],
    ] as const) {
      expect(content).toContain(`import { ${name} as ${local} } from './${name.toLowerCase()}.js';`);
      expect(content).toContain(`...svc.itemRoutes(${local}, `);
    }
  });
});

it('does not give a collection the name of a common component', () => {
  const named = Object.keys(openApiDocument(albums()).components?.schemas ?? {});
  const stems = ['Album', 'Artist', 'SvcUsers'];
  const fixed = named.filter((name) => !stems.some((stem) => name.startsWith(stem)));
  expect(fixed.filter((name) => !reservedComponents.has(name))).toEqual([]);
});

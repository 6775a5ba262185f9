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

  it('leaves out what REST does not serve', () => {
    const hidden = collection('hidden', [counter('id')], { path: null });
    expect(emit(model([hidden]))).not.toContain('hidden');
  });

  it('spells the parameters of an operation as the router does', () => {
    const [ping] = model([]).operations;
    if (ping === undefined) throw new Error('the model has no operation');
    const operation = { ...ping, id: 'thingDo', method: 'put', path: '/things/{id}/parts/{part}' } as const;
    const [, { content } = { content: '' }] = emitRoutes(model([], { operations: [operation] }));
    expect(content).toContain(
      "\n  svc.route('PUT /things/:id/parts/:part', { operation: 'thingDo', access: 'public' }),\n",
    );
  });

  it("lists the operations of a team, and the package's in a file of its own", () => {
    const [ping] = model([]).operations;
    if (ping === undefined) throw new Error('the model has no operation');
    const operations = [ping, { ...ping, id: 'thingDo', path: '/things', own: false }];
    const [table, systemTable] = emitRoutes(model([], { operations }));
    expect(table?.content).toContain("'GET /things'");
    expect(table?.content).not.toContain('serverPing');
    expect(systemTable?.content).toContain('serverPing');
    expect(systemTable?.content).not.toContain('thingDo');
    expect(emitRoutes(model([], { operations, forPackage: false }))).toHaveLength(1);
  });

  it('gives way to collections that are called as it is', () => {
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

it('no collection takes the name of a component that every document has', () => {
  const named = Object.keys(openApiDocument(albums()).components?.schemas ?? {});
  const stems = ['Album', 'Artist', 'SvcUsers'];
  const fixed = named.filter((name) => !stems.some((stem) => name.startsWith(stem)));
  expect(fixed.filter((name) => !reservedComponents.has(name))).toEqual([]);
});

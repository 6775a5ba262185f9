/** Builds of `svc start`, made once per run for equal databases and specs. */
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { emitGraphql } from '../../../generator/emitters/graphql/index.js';
import { emitModels } from '../../../generator/emitters/models/index.js';
import { emitOpenApi } from '../../../generator/emitters/openapi/index.js';
import { emitOperations } from '../../../generator/emitters/operations/index.js';
import { emitRoutes } from '../../../generator/emitters/routes/index.js';
import type { Catalog } from '../../../generator/introspection/catalog.js';
import { introspect } from '../../../generator/introspection/index.js';
import { buildModel } from '../../../generator/model/build.js';
import { loadSpec } from '../../../generator/spec/load.js';
import type { CollectionDeclaration } from '../../../contract/collection.js';
import type { Route } from '../../../contract/routes.js';
import type { QueueModelDeclaration } from '../../../contract/queue-model.js';
import { lazy } from '../../../runtime/concurrency/lazy.js';
import { packageRoot } from '../../../runtime/config/package.js';
import type { Database } from '../../../runtime/databases/contract.js';
import { bundle } from '../../../runtime/processes/bundle.js';
import { catalogReader } from '../../databases.js';
import { sharedFolder } from '../../shared.js';

export interface Built {
  readonly declarations: readonly CollectionDeclaration[];
  readonly routes: readonly Route[];
  readonly queueModels: readonly QueueModelDeclaration[];
  /** File of the OpenAPI document. */
  readonly openapi: string;
  /** Folder of the GraphQL schemas. */
  readonly graphql: string;
  readonly document: Readonly<Record<string, unknown>>;
}

/** @param specs folders of specs that come after the package's own */
export const build = async (database: Database, specs: readonly string[]): Promise<Built> => {
  const catalog = await introspect(catalogReader(database), {});
  const name = `build-${await hashOf(catalog, specs)}`;
  const folder = await sharedFolder(name, (draft) => generate(draft, catalog, specs));
  const { collections, routes, queueModels } = (await import(join(folder, 'server.mjs'))) as {
    readonly collections: readonly CollectionDeclaration[];
    readonly routes: readonly Route[];
    readonly queueModels: readonly QueueModelDeclaration[];
  };
  const openapi = join(folder, 'openapi.json');
  const document = JSON.parse(await readFile(openapi, 'utf8')) as Built['document'];
  return {
    declarations: collections,
    routes,
    queueModels,
    openapi,
    graphql: join(folder, 'graphql'),
    document,
  };
};

const hashOf = async (catalog: Catalog, specs: readonly string[]): Promise<string> => {
  const hash = createHash('sha256').update(JSON.stringify(catalog));
  for (const folder of specs) {
    for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const path = join(entry.parentPath, entry.name);
      hash.update(path).update(await readFile(path));
    }
  }
  return hash.digest('hex').slice(0, 32);
};

/** The package's own spec, which most tests use alone: reading it takes as long as everything else of a build. */
const ownSpec = lazy(() => loadSpec([join(packageRoot, 'spec')]));

/** Emitters of the files that a server loads; those of the others are for people. */
const emitters = [emitOpenApi, emitGraphql, emitModels, emitOperations, emitRoutes];

const generate = async (folder: string, catalog: Catalog, specs: readonly string[]): Promise<void> => {
  const spec = specs.length === 0 ? await ownSpec() : await loadSpec([join(packageRoot, 'spec'), ...specs]);
  const { model } = buildModel({ catalog, spec });
  const files = emitters.flatMap((emit) => emit(model));
  for (const { path, content } of files) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
  await bundle(join(folder, 'server', 'index.ts'), join(folder, 'server.mjs'));
};

/** Builds of `svc start`, made once per run for equal databases and specs. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { emitCatalog } from '../../../generator/emitters/catalog/index.js';
import { emitGraphql } from '../../../generator/emitters/graphql/index.js';
import { emitModels } from '../../../generator/emitters/models/index.js';
import { emitOpenApi } from '../../../generator/emitters/openapi/index.js';
import { emitOperations } from '../../../generator/emitters/operations/index.js';
import { emitRoutes } from '../../../generator/emitters/routes/index.js';
import { introspect } from '../../../generator/introspection/index.js';
import { createPartCache, type PartCache } from '../../../generator/part-cache.js';
import { buildModel } from '../../../generator/model/build.js';
import type { Model } from '../../../generator/model/types.js';
import { loadSpec } from '../../../generator/spec/load.js';
import type { Spec } from '../../../generator/spec/types.js';
import type { CollectionDeclaration } from '../../../contract/collection.js';
import type { Route } from '../../../contract/routes.js';
import type { QueueModelDeclaration } from '../../../contract/queue-model.js';
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
  const version = await versionOf(specs);
  const hash = createHash('sha256').update(JSON.stringify(catalog)).update(version).digest('hex');
  const folder = await sharedFolder(`build-${hash.slice(0, 32)}`, async (draft) => {
    const spec = await keep(loaded, version, () => loadSpec([join(packageRoot, 'spec'), ...specs]));
    const cache = keep(caches, `${version} ${catalog.dialect}`, createPartCache);
    await generate(draft, buildModel({ catalog, spec }).model, cache);
  });
  const { collections, routes, queueModels } = (await import(join(folder, 'server.mjs'))) as {
    readonly collections: readonly CollectionDeclaration[];
    readonly routes: readonly Route[];
    readonly queueModels: readonly QueueModelDeclaration[];
  };
  const openapi = join(folder, 'openapi.json');
  return {
    declarations: collections,
    routes,
    queueModels,
    openapi,
    graphql: join(folder, 'graphql'),
    // a megabyte, which few tests look at
    get document() {
      return JSON.parse(readFileSync(openapi, 'utf8')) as Built['document'];
    },
  };
};

/** Returns a digest of the names and contents of all files of the folders. */
const versionOf = async (specs: readonly string[]): Promise<string> => {
  const hash = createHash('sha256');
  for (const folder of specs) {
    for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const path = join(entry.parentPath, entry.name);
      hash.update(path).update(await readFile(path));
    }
  }
  return hash.digest('hex');
};

/** The package's spec with those of folders, by their version: reading it takes as long as everything else of a build. */
const loaded = new Map<string, Promise<Spec>>();

/** Parts emitted before, by spec and database: those of the system tables serve every further schema. */
const caches = new Map<string, PartCache>();

const keep = <Value>(kept: Map<string, Value>, key: string, make: () => Value): Value => {
  const value = kept.get(key) ?? make();
  kept.set(key, value);
  return value;
};

/** Emitters of the files that a server reads; those of the others are for people. */
const emitters = [emitCatalog, emitOpenApi, emitGraphql, emitModels, emitOperations, emitRoutes];

const generate = async (folder: string, model: Model, cache: PartCache): Promise<void> => {
  cache.begin();
  const files = emitters.flatMap((emit) => emit(model, cache));
  for (const { path, content } of files) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
  await bundle(join(folder, 'server', 'index.ts'), join(folder, 'server.mjs'));
};

import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { loadSpec } from '../../../generator/spec/load.js';
import type { Spec } from '../../../generator/spec/types.js';

const own = fileURLToPath(new URL('../../../spec', import.meta.url));
const made: string[] = [];

afterEach(() => {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true });
});

const folderWith = (files: Readonly<Record<string, string>>): string => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-spec-'));
  made.push(folder);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
};

const loadWith = (files: Readonly<Record<string, string>>): Promise<Spec> =>
  loadSpec([own, folderWith(files)]);

describe('a team’s spec', () => {
  it('extends files of the same name key by key', async () => {
    const spec = await loadWith({
      'api.yaml': 'title: Chinook\ntables: { exclude: [tmp_*] }\n',
      'errors.yaml': 'errors: { OUT_OF_STOCK: { status: 409, family: shop, message: Out of stock } }\n',
      'operations/server.yaml': 'operations: { serverPing: { summary: Knock } }\n',
      'collections/svc_users.yaml': 'meta: { icon: person }\nfields: { email: { width: half } }\n',
    });
    expect(spec.api).toMatchObject({
      title: 'Chinook',
      version: '0.1.0',
      tables: { include: [], exclude: ['tmp_*'] },
    });
    expect(spec.errors.map(({ code }) => code)).toContain('OUT_OF_STOCK');
    expect(spec.operations.find(({ id }) => id === 'serverPing')).toMatchObject({
      summary: 'Knock',
      path: '/server/ping',
    });
    const users = spec.collections.get('svc_users');
    expect(users?.meta).toMatchObject({ note: 'People and programs that sign in', icon: 'person' });
    expect(users?.fields.get('email')).toMatchObject({
      note: 'Stored in lower case and compared exactly',
      width: 'half',
    });
    expect(users?.columns?.get('email')).toMatchObject({ type: 'string', unique: true, nullable: true });
  });

  it('extends relations by their field', async () => {
    const spec = await loadWith({
      'collections/svc_access.yaml':
        'relations: [{ field: role, sort_field: sort }, { field: sort, one_field: x }]\n',
    });
    expect(spec.collections.get('svc_access')?.relations).toEqual([
      { field: 'role', one_field: 'policies', one_deselect_action: 'delete', sort_field: 'sort' },
      { field: 'user', one_field: 'policies', one_deselect_action: 'delete' },
      { field: 'policy', one_field: 'access', one_deselect_action: 'delete' },
      { field: 'sort', one_field: 'x' },
    ]);
  });

  it('records the position of each key in the last file that defines it', async () => {
    const folder = folderWith({ 'collections/svc_users.yaml': 'fields:\n  email:\n    width: half\n' });
    const { positionOf } = (await loadSpec([own, folder])).collections.get('svc_users') ?? {};
    const file = `${folder}/collections/svc_users.yaml`;
    expect(positionOf?.('fields', 'email', 'width')).toEqual({ file, line: 3, column: 5 });
    expect(positionOf?.('fields', 'token')).toMatchObject({ file: `${own}/collections/svc_users.yaml` });
  });

  it('can describe a table whose name is not a valid file name', async () => {
    const spec = await loadWith({
      'collections/lines.yaml': 'collection: order/line.s\nmeta: { note: x }\n',
    });
    expect(spec.collections.get('order/line.s')).toMatchObject({
      source: 'collections/lines.yaml',
      meta: { note: 'x' },
    });
  });

  it('keeps unknown meta keys and keys named like members of Object', async () => {
    const spec = await loadWith({
      'collections/works.yaml':
        'meta: { preview_url: null }\nfields:\n  __proto__: { note: odd, constructor: 1 }\n',
    });
    const works = spec.collections.get('works');
    expect(works?.meta).toEqual({ preview_url: null });
    expect(works?.fields.get('__proto__')).toEqual({ note: 'odd', constructor: 1 });
  });

  it('is read once if it is the package’s own', async () => {
    const link = join(folderWith({}), 'link');
    symlinkSync(own, link);
    const spec = await loadSpec([own, `${own}/`, link]);
    const once = await loadSpec([own]);
    expect([...spec.collections.keys()]).toEqual([...once.collections.keys()]);
    expect(spec.queueModels.map(({ id }) => id)).toEqual(once.queueModels.map(({ id }) => id));
    expect(spec.operations.map(({ id }) => id)).toEqual(once.operations.map(({ id }) => id));
  });

  it('must exist', async () => {
    await expect(loadSpec([own, '/nowhere/spec'])).rejects.toThrow(
      '/nowhere/spec:1:1: the spec folder does not exist; create it or name another',
    );
  });

  it('must define the API if no other spec does', async () => {
    const folder = folderWith({ 'collections/works.yaml': 'meta: {}\n' });
    await expect(loadSpec([folder])).rejects.toThrow(
      'the spec has no api.yaml; add it with title, version and description',
    );
  });
});

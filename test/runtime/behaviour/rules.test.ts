/** Permissions that make no sense: refused where they are written, and closed where they stand in the database. */
import { describe, expect, it } from 'vitest';
import { useServer } from '../harness/use-server.js';
import { insertRow, settingsOf, type TestAccess } from '../server-harness.js';
import { libraryMeta, librarySql } from './library.js';

const settings = settingsOf(import.meta.url);

const access: TestAccess = {
  policies: { Broken: [], Sound: [{ collection: 'book', action: 'read', fields: ['id'] }] },
  users: {
    broken: { policies: ['Broken'] },
    sound: { policies: ['Sound'] },
    both: { policies: ['Broken', 'Sound'] },
  },
};

describe.each(settings)('rules on $dialect through $listener', (setting) => {
  const server = useServer({ ...setting, sql: librarySql(setting.dialect), meta: libraryMeta, access });
  const book = { collection: 'book', action: 'read', fields: ['*'] };
  const create = (permission: Readonly<Record<string, unknown>>) =>
    server().request('POST', '/permissions', {
      as: 'admin',
      body: { ...book, policy: server().ids.policies.get('Broken'), ...permission },
    });

  it.each([
    [{ permissions: [1] }, 'permissions'],
    [{ permissions: '"text"' }, 'permissions'],
    [{ permissions: { title: { _bogus: 1 } } }, 'permissions'],
    [{ permissions: { id: { _in: [] } } }, 'permissions'],
    [{ action: 'reed' }, 'action'],
    [{ validation: 5 }, 'validation'],
    [{ validation: { _and: 'x' } }, 'validation'],
    [{ presets: ['x'] }, 'presets'],
    [{ permissions: 'no JSON' }, 'permissions'],
  ])('%j is rejected', async (permission, field) => {
    const { status, errors } = await create(permission);
    expect({ status, errors }).toMatchObject({ status: 400, errors: [{ code: 'FAILED_VALIDATION', field }] });
  });

  it.each([
    ['permissions', '[1]'],
    ['permissions', '"text"'],
    ['permissions', '{"title":{"_bogus":1}}'],
    ['permissions', '{"nothing":{"_eq":1}}'],
    ['permissions', '{"year":{"_eq":"never"}}'],
    ['permissions', '{"title":{"nested":{"_eq":1}}}'],
    ['permissions', '{"author":{"_some":{"id":1}}}'],
    ['validation', '[]'],
    ['presets', '3'],
  ])('a row with %s %s permits nothing and does not affect other rows', async (column, text) => {
    const { policies } = server().ids;
    await insertRow(server().database, 'svc_permissions', {
      ...book,
      policy: policies.get('Broken'),
      [column]: text,
    });
    await server().database.write({
      text: 'update svc_access_version set version = version + 1',
      values: [],
    });
    const read = (as: string) => server().request('GET', '/items/book?fields=id&filter[id]=205', { as });
    const broken = await read('broken');
    expect(broken.data ?? broken.codes).toEqual(broken.status === 200 ? [] : ['FORBIDDEN']);
    for (const as of ['sound', 'both', 'admin']) expect((await read(as)).data).toEqual([{ id: 205 }]);
    expect((await server().request('GET', '/server/specs/oas', { as: 'broken' })).status).toBe(200);
    await server().database.write({
      text: `delete from svc_permissions where policy = '${policies.get('Broken')}'`,
      values: [],
    });
  });

  it.each([[{ title: { nested: { _eq: 1 } } }], [{ _some: { title: { _eq: 'x' } } }]])(
    'a validation that does not apply to payloads, %j, rejects all',
    async (validation) => {
      const { data } = await create({ action: 'create', validation });
      const { status, codes } = await server().request('POST', '/items/book', {
        as: 'broken',
        body: { title: 'x' },
      });
      expect({ status, codes }).toEqual({ status: 400, codes: ['FAILED_VALIDATION'] });
      await server().request('DELETE', `/permissions/${(data as { readonly id: number }).id}`, {
        as: 'admin',
      });
    },
  );

  it('a validation can combine comparisons by _or, within a field and across fields', async () => {
    const validation = { _or: [{ title: { _or: [{ _eq: 'a' }, { _eq: 'b' }] } }, { stock: { _eq: 9 } }] };
    const { data } = await create({ action: 'create', validation });
    const write = (body: unknown) => server().request('POST', '/items/book', { as: 'broken', body });
    expect((await write({ title: 'b', stock: 1 })).status).toBe(204);
    expect((await write({ title: 'c', stock: 9 })).status).toBe(204);
    expect((await write({ title: 'c', stock: 1 })).codes).toEqual(['FAILED_VALIDATION']);
    await server().request('DELETE', `/permissions/${(data as { readonly id: number }).id}`, { as: 'admin' });
  });

  it('presets of unknown columns are ignored', async () => {
    const { data } = await create({ action: 'create', presets: { nothing: 1, stock: 4 } });
    expect(
      (await server().request('POST', '/items/book', { as: 'broken', body: { title: 'preset' } })).status,
    ).toBe(204);
    const found = await server().request('GET', '/items/book?fields=stock&filter[title][_eq]=preset', {
      as: 'admin',
    });
    expect(found.data).toEqual([{ stock: 4 }]);
    await server().request('DELETE', `/permissions/${(data as { readonly id: number }).id}`, { as: 'admin' });
  });
});

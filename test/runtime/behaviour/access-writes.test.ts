/** Permissions on writes. */
import { beforeEach, describe, expect, it } from 'vitest';
import { settingsOf } from '../server-harness.js';
import { restoreSql } from './library.js';
import { useStaff } from './staff.js';

const settings = settingsOf(import.meta.url);

describe.each(settings)('writing on $dialect through $listener', (setting) => {
  const { server, send, get, ids } = useStaff(setting);

  describe('writing', () => {
    beforeEach(() => server().execute(restoreSql(setting.dialect)));

    it('fills in missing values by presets, also of fields that are not permitted', async () => {
      expect(
        (await send('clerk', 'POST', '/items/book?fields=title,stock,note,lent', { title: 'x' })).data,
      ).toEqual({
        title: 'x',
        stock: 2,
        note: 'a',
        lent: true,
      });
      expect(
        (await send('clerk', 'POST', '/items/book?fields=stock,note', { title: 'x', stock: 5, note: 'b' }))
          .data,
      ).toEqual({ stock: 5, note: 'b' });
      expect(
        (await send('clerk', 'PATCH', '/items/book/201?fields=title,note', { title: 'y' })).data,
      ).toEqual({ title: 'y', note: 'touched' });
    });

    it('ignores presets of a permission whose validation fails', async () => {
      const fields = 'fields=title,year,note,stock,lent';
      const create = (body: unknown) => send('drafter', 'POST', `/items/book?${fields}`, body);
      const [bad, ok] = [
        { title: 'bad', year: 1 },
        { title: 'ok', year: 1 },
      ];
      const drafted = { ...bad, note: null, stock: 4, lent: false };
      expect((await create(bad)).data).toEqual(drafted);
      expect((await create([ok, bad])).data).toMatchObject([
        { ...ok, note: 'approved', lent: true },
        drafted,
      ]);
      const update = (body: unknown) => send('drafter', 'PATCH', `/items/book/201?${fields}`, body);
      const few = { note: '100% plain_text', lent: false };
      expect((await update({ id: 201, ...bad })).data).toEqual({ ...bad, ...few, stock: 5 });
      expect((await update(ok)).data).toMatchObject({ ...ok, note: 'approved', lent: true });
      expect((await create({ ...bad, note: 'mine' })).codes).toEqual(['FAILED_VALIDATION']);
      expect((await create({ ...bad, year: 'x' })).codes).toEqual(['FAILED_VALIDATION']);
    });

    it('rejects payloads by validation and reports every failed rule', async () => {
      const { status, errors } = await send('clerk', 'POST', '/items/book', {
        title: 'x',
        stock: 11,
        note: 'z',
      });
      expect(status).toBe(400);
      expect(errors.map(({ code, field, type }) => ({ code, field, type }))).toEqual([
        { code: 'FAILED_VALIDATION', field: 'stock', type: 'lte' },
        { code: 'FAILED_VALIDATION', field: 'note', type: 'in' },
      ]);
      expect(
        (await send('clerk', 'POST', '/items/book', [{ title: 'x' }, { title: 'x', stock: 11 }])).codes,
      ).toEqual(['FAILED_VALIDATION']);
      expect(await get('admin', '/items/book?filter[title][_eq]=x')).toEqual([]);
    });

    it('rejects a field outside the list and stores nothing', async () => {
      expect((await send('clerk', 'POST', '/items/book', { title: 'x', price: 1 })).codes).toEqual([
        'FORBIDDEN',
      ]);
      expect((await send('clerk', 'PATCH', '/items/book/201', { title: 'x', year: 1 })).codes).toEqual([
        'FORBIDDEN',
      ]);
      expect(await get('admin', '/items/book/201?fields=title')).toEqual({ title: 'Few Words' });
    });

    it('requires permission for a key in a create but not in an update', async () => {
      const one = await send('clerk', 'PATCH', '/items/book/201?fields=id,title', { id: 201, title: 'x' });
      expect(one.data).toEqual({ id: 201, title: 'x' });
      const many = await send('clerk', 'PATCH', '/items/book?fields=id,title', [{ id: 203, title: 'y' }]);
      expect(many.data).toEqual([{ id: 203, title: 'y' }]);
      expect((await send('clerk', 'PATCH', '/items/book/201', { id: 201, colour: 'red' })).codes).toEqual([
        'FORBIDDEN',
      ]);
      expect((await send('clerk', 'POST', '/items/book', { id: 999, title: 'x' })).codes).toEqual([
        'FORBIDDEN',
      ]);
    });

    it('returns no content for a new item that is not readable', async () => {
      const hidden = await send('clerk', 'POST', '/items/book', { title: 'x', note: 'hidden' });
      expect({ status: hidden.status, text: hidden.text }).toEqual({ status: 204, text: '' });
      const review = await send('clerk', 'POST', '/items/review', { book: 201, stars: 2 });
      expect({ status: review.status, text: review.text }).toEqual({ status: 204, text: '' });
      expect((await send('clerk', 'POST', '/items/review', [])).status).toBe(204);
      expect(
        (
          await send('clerk', 'POST', '/items/review', [
            { book: 201, stars: 2 },
            { book: 201, stars: 3 },
          ])
        ).status,
      ).toBe(204);
      expect((await send('clerk', 'PATCH', '/items/review/1', { stars: 4 })).status).toBe(204);
      expect(await get('admin', '/items/review/1?fields=stars')).toEqual({ stars: 4 });
    });

    it('permits changes of a field on the rows of its own permission', async () => {
      expect((await send('clerk', 'PATCH', '/items/book/201?fields=title', { title: 'x' })).data).toEqual({
        title: 'x',
      });
      expect((await send('clerk', 'PATCH', '/items/book/202', { title: 'x' })).codes).toEqual(['FORBIDDEN']);
      expect((await send('clerk', 'PATCH', '/items/book/202?fields=lent', { lent: false })).data).toEqual({
        lent: false,
      });
      expect((await send('clerk', 'PATCH', '/items/book/203?fields=lent', { lent: true })).data).toEqual({
        lent: true,
      });
      expect((await send('clerk', 'PATCH', '/items/book/203', { lent: false, title: 'x' })).codes).toEqual([
        'FORBIDDEN',
      ]);
    });

    it('updates all of several items or none', async () => {
      const body = { keys: [201, 202, 203], data: { stock: 7 } };
      expect((await send('clerk', 'PATCH', '/items/book', body)).codes).toEqual(['FORBIDDEN']);
      expect(
        (
          await send('clerk', 'PATCH', '/items/book', [
            { id: 201, stock: 7 },
            { id: 202, stock: 7 },
          ])
        ).codes,
      ).toEqual(['FORBIDDEN']);
      const query = { filter: { author: { _eq: 2 } } };
      expect((await send('clerk', 'PATCH', '/items/book', { query, data: { stock: 7 } })).codes).toEqual([
        'FORBIDDEN',
      ]);
      expect(await get('admin', '/items/book?fields=stock&filter[author][_eq]=2&sort=id')).toEqual([
        { stock: 3 },
        { stock: 0 },
        { stock: 1 },
      ]);
      expect(
        (await send('clerk', 'PATCH', '/items/book?fields=stock', { keys: [201, 203], data: { stock: 7 } }))
          .data,
      ).toEqual([{ stock: 7 }, { stock: 7 }]);
    });

    it('deletes all of several items or none', async () => {
      expect((await send('clerk', 'DELETE', '/items/book', [203, 204])).codes).toEqual(['FORBIDDEN']);
      expect((await send('clerk', 'DELETE', '/items/book/204')).codes).toEqual(['FORBIDDEN']);
      expect(await ids('admin', '/items/book?fields=id&filter[id][_in]=203,204')).toEqual([203, 204]);
      expect((await send('clerk', 'DELETE', '/items/book', [203])).status).toBe(204);
    });

    it('applies rules of writes through relations', async () => {
      expect((await send('related', 'PATCH', '/items/book/201?fields=title', { title: 'x' })).data).toEqual({
        title: 'x',
      });
      expect((await send('related', 'PATCH', '/items/book/202', { title: 'x' })).codes).toEqual([
        'FORBIDDEN',
      ]);
      expect(
        (await send('related', 'PATCH', '/items/book', { keys: [201, 203], data: { title: 'x' } })).codes,
      ).toEqual(['FORBIDDEN']);
      expect((await send('related', 'DELETE', '/items/book/201')).codes).toEqual(['FORBIDDEN']);
      expect((await send('related', 'DELETE', '/items/book/203')).status).toBe(204);
    });

    it('finds only readable items by query', async () => {
      const query = { filter: { note: { _eq: 'hidden' } } };
      await server().execute("update book set note = 'hidden' where id = 204");
      expect((await send('clerk', 'PATCH', '/items/book', { query, data: { lent: true } })).data).toEqual([]);
      expect(await get('admin', '/items/book/204?fields=lent')).toEqual({ lent: false });
    });

    it('does not reveal hidden values in errors', async () => {
      await server().execute("update book set note = 'hidden' where id = 204");
      const [hidden, missing] = [
        await send('clerk', 'PATCH', '/items/book/1', { price: 1 }),
        await send('clerk', 'PATCH', '/items/book/9999', { price: 1 }),
      ];
      expect(hidden.text).toBe(missing.text);
    });
  });

  describe('the administrator', () => {
    it('has all permissions', async () => {
      expect(await get('admin', '/items/book/1?fields=id,author.secret,review.stars')).toEqual({
        id: 1,
        author: { secret: '**********' },
        review: [{ stars: 4 }],
      });
      expect((await send('admin', 'GET', '/users?limit=1&fields=email')).status).toBe(200);
    });

    it('cannot be deleted if there is no other', async () => {
      const [admin] = (await get('admin', '/users?fields=id&filter[email][_eq]=admin@example.com')) as {
        readonly id: string;
      }[];
      const path = `/users/${admin?.id}`;
      for (const body of [{ status: 'suspended' }, { role: null }]) {
        const { status, codes } = await send('admin', 'PATCH', path, body);
        expect({ status, codes }).toEqual({ status: 422, codes: ['UNPROCESSABLE_ENTITY'] });
      }
      expect((await send('admin', 'DELETE', path)).codes).toEqual(['UNPROCESSABLE_ENTITY']);
      expect((await send('admin', 'GET', path)).status).toBe(200);
    });
  });
});

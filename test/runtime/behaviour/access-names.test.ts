/** Forbidden and missing resources are indistinguishable. */
import { describe, expect, it } from 'vitest';
import { sampleSettings } from '../server-harness.js';
import { useStaff } from './staff.js';

describe.each(sampleSettings(import.meta.url))('names on $dialect through $listener', (setting) => {
  const { send } = useStaff(setting);
  /** The same words, whatever the name. */
  const wording = async (as: string, path: string, name: string): Promise<string> =>
    (await send(as, 'GET', path.replaceAll('NAME', name))).text.replaceAll(name, 'NAME');
  const wordingOfPayload = async (name: string): Promise<string> =>
    (await send('clerk', 'POST', '/items/book', { title: 'x', [name]: 1 })).text.replaceAll(name, 'NAME');

  describe('forbidden names', () => {
    it.each([
      '/items/book?fields=NAME',
      '/items/book?fields=id,author.NAME',
      '/items/book?sort=NAME',
      '/items/book?sort=author.NAME',
      '/items/book?filter[NAME][_eq]=1',
      '/items/book?filter[author][NAME][_eq]=1',
      '/items/author?fields=books.id&deep[books][_sort]=NAME',
      '/items/author?fields=books.id&deep[books][_filter][NAME][_eq]=1',
    ])('GET %s returns the same error for a forbidden and an unknown field', async (path) => {
      const [hidden, unknown] = await Promise.all([
        wording('few', path, 'secret'),
        wording('few', path, 'foobar'),
      ]);
      expect(hidden).toBe(unknown);
      expect(hidden).toContain('FORBIDDEN');
      const [year, none] = await Promise.all([wording('few', path, 'year'), wording('few', path, 'quux')]);
      expect(year).toBe(none);
    });

    it.each([
      '/items/book?fields=NAME.id',
      '/items/book?filter[NAME][id][_eq]=1',
      '/items/book?filter[NAME][_some][id][_eq]=1',
      '/items/book?sort=NAME.id',
    ])('GET %s returns the same error for a forbidden and an unknown relation', async (path) => {
      const [hidden, unknown] = await Promise.all([
        wording('few', path, 'review'),
        wording('few', path, 'nobody'),
      ]);
      expect(hidden).toBe(unknown);
      expect(hidden).toContain('FORBIDDEN');
    });

    it.each(['/items/NAME', '/items/NAME/1', '/items/NAME?fields=x', '/items/NAME?filter[x]=1&sort=y'])(
      'GET %s returns the same error for a forbidden and an unknown collection',
      async (path) => {
        const [hidden, unknown] = await Promise.all([
          wording('few', path, 'shelf'),
          wording('few', path, 'quark'),
        ]);
        expect(hidden).toBe(unknown);
        expect(hidden).toContain('FORBIDDEN');
      },
    );

    it('a payload gets the same error for a forbidden and an unknown field', async () => {
      expect(await wordingOfPayload('price')).toBe(await wordingOfPayload('bogus'));
      expect(await wordingOfPayload('price')).toContain('FORBIDDEN');
    });

    it('does not report a missing value of a field that the caller cannot write', async () => {
      const { errors, text } = await send('wordy', 'POST', '/items/review', { words: 'x' });
      expect(errors.map(({ code, field }) => [code, field])).toEqual([
        ['FAILED_VALIDATION', 'stars'],
        ['FORBIDDEN', undefined],
      ]);
      expect(text).not.toContain('book');
    });

    it('suggests readable fields only', async () => {
      expect((await send('few', 'GET', '/items/book?fields=titel')).text).not.toContain('note');
      expect((await send('few', 'GET', '/items/book?fields=title_')).text).toContain(
        'did you mean \\"title\\"',
      );
      expect((await send('few', 'GET', '/items/book?fields=yearr')).text).not.toContain('did you mean');
    });

    it('returns distinct errors for unknown fields to a caller with all fields', async () => {
      expect((await send('admin', 'POST', '/items/book', { title: 'x', bogus: 1 })).codes).toEqual([
        'INVALID_PAYLOAD',
      ]);
      expect((await send('all', 'GET', '/items/book?fields=bogus')).codes).toEqual(['FORBIDDEN']);
    });
  });
});

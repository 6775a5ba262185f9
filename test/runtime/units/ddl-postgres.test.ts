import { expect, it } from 'vitest';
import { postgresPrinter } from '../../../runtime/databases/postgres/ddl.js';

const nameIn = (sql: string): string => /exists "([^"]*)"/.exec(sql)?.[1] ?? '';
const indexName = (name: string): string =>
  nameIn(postgresPrinter.addIndex('svc_things', { name, columns: ['a'] }));

it('limits names of constraints and indexes to 63 unique bytes', () => {
  const long = `svc_things_${'größe_'.repeat(10)}`;
  const names = [`${long}index`, `${long}unique`].map(indexName);
  for (const name of names) {
    expect(Buffer.byteLength(name)).toBeLessThanOrEqual(63);
    expect(name).toMatch(/^svc_things_größe_[^\ufffd]*_[0-9a-f]{8}$/);
  }
  expect(new Set(names).size).toBe(2);
});

it('keeps shorter names', () => {
  expect(indexName('a'.repeat(63))).toBe('a'.repeat(63));
});

/** Whatever a client sends, the mistake is the client's: never a 5xx, never a word about the inside. */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { useServer } from '../harness/use-server.js';
import { settingsOf, type RequestOptions } from '../server-harness.js';
import { libraryMeta, librarySql } from './library.js';
import {
  body,
  collection,
  key,
  parameters,
  queryString,
  soundRead,
  soundWrite,
  text,
  toQueryString,
  value,
} from './requests.js';
import { staffAccess } from './staff.js';

const settings = settingsOf(import.meta.url);

/** Matches SQL, driver messages, stack traces and paths. */
const inside = [
  /\bselect .+ from\b|insert into|sqlite|mariadb|mysql|libsql|errno|node_modules|\/work\/|file:\/\//i,
  /\bER_[A-Z]|\.ts:\d|\bat (?:async )?\S+ \(/,
];

/** Messages may repeat what was sent. */
const withoutEcho = (answer: string): string =>
  answer
    .replaceAll(/\\"(?:[^"\\]|\\[^"])*\\"/g, '')
    .replaceAll(/"(?:value|invalid)":("(?:[^"\\]|\\.)*"|[^,}]*)/g, '');

const anybody = fc.constantFrom('admin', 'clerk', 'both', null);
const mostlyAdmin = fc.constantFrom('admin', 'admin', 'admin', 'admin', 'both', null);

const numRuns = process.env.LONG === undefined ? 60 : 3_000;

/** The first failing request; `null` if there is none. */
const failure = async <Case>(
  cases: fc.Arbitrary<Case>,
  run: (each: Case) => Promise<void>,
): Promise<string | null> => {
  const property = fc.asyncProperty(cases, run);
  const report = await fc.check(property, { numRuns, seed: 20_260_801, endOnFailure: true });
  return fc.defaultReportMessage(report) ?? null;
};

describe.each(settings)('random requests on $dialect through $listener', (setting) => {
  const server = useServer({
    ...setting,
    sql: librarySql(setting.dialect),
    meta: libraryMeta,
    access: staffAccess,
  });

  const send = async (
    method: string,
    path: string,
    as: string | null,
    options: RequestOptions,
  ): Promise<void> => {
    const request = { ...options, ...(as !== null && { as }) };
    const { status, text: answer, errors } = await server().request(method, path, request);
    if (status >= 500) throw new Error(`${status} ${answer}`);
    if (status < 400) return;
    if (errors.length === 0) throw new Error(`${status} without errors`);
    const told = inside.find((pattern) => pattern.test(withoutEcho(answer)));
    if (told !== undefined) throw new Error(`${answer} tells of ${told}`);
  };

  const answered = (methods: readonly string[]): number =>
    server().observations.filter(
      (each) => each.kind === 'requestFinished' && each.status === 200 && methods.includes(each.method),
    ).length;

  it('answers or rejects random reads', async () => {
    const cases = fc.tuple(collection, fc.option(key, { freq: 4 }), parameters, anybody);
    const failed = await failure(cases, async ([table, id, query, as]) => {
      await send('GET', `/items/${table}${id === null ? '' : `/${id}`}?${toQueryString(query)}`, as, {});
      if (id === null) await send('SEARCH', `/items/${table}`, as, { body: { query } });
    });
    expect(failed).toBeNull();
  });

  it('answers or rejects valid reads with random values', async () => {
    const before = answered(['SEARCH']);
    const failed = await failure(fc.tuple(soundRead, mostlyAdmin), ([[table, query], as]) =>
      send('SEARCH', `/items/${table}`, as, { body: { query } }),
    );
    expect(failed).toBeNull();
    expect(answered(['SEARCH']) - before).toBeGreaterThan(numRuns / 3);
  });

  it('answers or rejects random query strings', async () => {
    const failed = await failure(fc.tuple(queryString, anybody), ([query, as]) =>
      send('GET', `/items/book?${query}`, as, {}),
    );
    expect(failed).toBeNull();
  });

  it('performs or rejects random writes', async () => {
    const method = fc.constantFrom('POST', 'PATCH', 'DELETE', 'PUT', 'SEARCH');
    const cases = fc.tuple(method, collection, fc.option(key), body, anybody);
    const failed = await failure(cases, ([verb, table, id, payload, as]) =>
      send(verb, `/items/${table}${id === null ? '' : `/${id}`}`, as, { body: payload }),
    );
    expect(failed).toBeNull();
  });

  it('performs or rejects valid writes with random values', async () => {
    const before = answered(['POST', 'PATCH']);
    const failed = await failure(fc.tuple(soundWrite, mostlyAdmin), ([[verb, path, payload], as]) =>
      send(verb, path, as, { body: payload }),
    );
    expect(failed).toBeNull();
    expect(answered(['POST', 'PATCH']) - before).toBeGreaterThan(numRuns / 12);
  });

  it('rejects bodies that are not JSON', async () => {
    const headers = { 'content-type': 'application/json' };
    const cases = fc.tuple(fc.constantFrom('POST', 'PATCH', 'DELETE', 'SEARCH'), text);
    const failed = await failure(cases, ([verb, raw]) =>
      send(verb, '/items/book', 'admin', { raw, headers }),
    );
    expect(failed).toBeNull();
  });

  it('performs or rejects random writes of system collections', async () => {
    const columns = [
      'id',
      'name',
      'policy',
      'role',
      'user',
      'collection',
      'action',
      'fields',
      'permissions',
      'sort',
    ];
    const row = fc.dictionary(fc.constantFrom(...columns), value, { maxKeys: 4 });
    const cases = fc.tuple(fc.constantFrom('roles', 'policies', 'permissions', 'access'), row, anybody);
    const failed = await failure(cases, async ([path, payload, as]) => {
      await send('POST', `/${path}`, as, { body: payload });
      await send('GET', `/${path}?limit=2&fields=*.*`, as, {});
    });
    expect(failed).toBeNull();
  });

  it('no request failed because of the server', () => {
    expect(server().observations.filter(({ kind }) => kind === 'requestFailed')).toEqual([]);
  });
});

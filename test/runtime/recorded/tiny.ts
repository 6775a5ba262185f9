/** The small database of the recorded group `schema`, on a server that follows its schema. */
import { readFileSync } from 'node:fs';
import { load } from 'js-yaml';
import type { TestDialect } from '../../databases.js';
import { startTestServer, type TestMeta, type TestServer } from '../server-harness.js';
import { dataPath } from './museum.js';

interface Tiny {
  readonly collections: Readonly<Record<string, Record<string, unknown>>>;
  readonly fields: Readonly<Record<string, Record<string, Record<string, unknown>>>>;
}

const file = (dialect: TestDialect): string =>
  dataPath(`tiny.${dialect === 'mariadb' ? 'mysql' : dialect}.sql`);

/** Rows as the public system makes them: with its defaults. */
const readMeta = (): TestMeta => {
  const { collections, fields } = (load(readFileSync(dataPath('meta.yaml'), 'utf8')) as { tiny: Tiny }).tiny;
  return {
    collections: Object.fromEntries(
      Object.entries(collections).map(([name, row]) => [
        name,
        { accountability: 'all', archive_app_filter: true, collapse: 'open', ...row },
      ]),
    ),
    fields: Object.fromEntries(
      Object.entries(fields).map(([collection, rows]) => [
        collection,
        Object.fromEntries(
          Object.entries(rows).map(([name, { alias: _alias, ...row }]) => [name, { width: 'full', ...row }]),
        ),
      ]),
    ),
    relations: [
      {
        many_collection: 'boxes',
        many_field: 'shelf',
        one_collection: 'shelves',
        one_field: 'boxes',
        one_deselect_action: 'nullify',
      },
    ],
  };
};

export const startTiny = (dialect: TestDialect): Promise<TestServer> =>
  startTestServer({
    dialect,
    file: file(dialect),
    meta: readMeta(),
    access: { users: { nobody: {} } },
    environment: {},
  });

import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type {
  Catalog,
  CatalogReader,
  Column,
  IntrospectOptions,
  Table,
} from '../../../generator/introspection/catalog.js';
import { introspect } from '../../../generator/introspection/index.js';
import { catalogReader, createTestDatabase, dialects, type TestDatabase } from '../../databases.js';
import { loadDialect } from '../../../runtime/databases/open.js';

const script = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

const findTable = (catalog: Catalog, name: string): Table => {
  const table = catalog.tables.find((candidate) => candidate.name === name);
  if (table === undefined) throw new Error(`no table ${name}`);
  return table;
};

const findColumn = (table: Table, name: string): Column => {
  const column = table.columns.find((candidate) => candidate.name === name);
  if (column === undefined) throw new Error(`no column ${table.name}.${name}`);
  return column;
};

const longName = (first: string): string =>
  `${first}2345678901234567890123456789012345678901234567890123456789_64xy`;

const oddTable = {
  sqlite: 'Größe "🐘".x',
  mariadb: 'Größe "x"',
  mysql: 'Größe "x"',
  postgres: 'Größe "🐘".x',
};

/** PostgreSQL takes one byte less than the 64 characters of the others. */
const longest = { sqlite: 64, mariadb: 64, mysql: 64, postgres: 63 };

const lowerTitle = (expression: string) => ({
  name: 'book_lower_title',
  columns: [{ expression }, 'id'],
  unique: false,
});

/** Default actions of a foreign key. */
const silentAction = { sqlite: 'no action', mariadb: 'restrict', mysql: 'no action', postgres: 'no action' };

const displayName = {
  sqlite: "name || ' (' || upper(email) || ')'",
  mariadb: "concat(`name`,' (',`email`,')')",
  mysql: "concat(`name`,_utf8mb4' (',`email`,_utf8mb4')')",
  postgres: "((((name)::text || ' ('::text) || upper((email)::text)) || ')'::text)",
};

const titleLength = {
  sqlite: 'length(name)',
  mariadb: 'char_length(`name`)',
  mysql: 'char_length(`name`)',
  postgres: 'length((name)::text)',
};

const statementsOf = { sqlite: 6, mariadb: 7, mysql: 6, postgres: 5 };

const tableNames = async (reader: CatalogReader, options: IntrospectOptions): Promise<string[]> =>
  (await introspect(reader, options)).tables.map(({ name }) => name);

/** Each table refers to the one before. */
const tablesInRow = (count: number): string =>
  Array.from({ length: count }, (_, at) => {
    const parent = at === 0 ? '' : `, FOREIGN KEY (parent) REFERENCES t${at - 1} (id)`;
    return `CREATE TABLE t${at} (id INTEGER PRIMARY KEY, name VARCHAR(20) UNIQUE, parent INTEGER${parent});`;
  }).join('\n');

describe.each(dialects)('introspection of %s', (dialect) => {
  let test: TestDatabase;
  let reader: CatalogReader;
  let catalog: Catalog;
  const table = (name: string): Table => findTable(catalog, name);
  const column = (of: string, name: string): Column => findColumn(table(of), name);
  const long = (first: string): string => longName(first).slice(0, longest[dialect]);

  beforeAll(async () => {
    test = await createTestDatabase(dialect, { file: script(`schema.${dialect}.sql`) });
    reader = catalogReader(test.database);
    catalog = await introspect(reader, {});
  });
  afterAll(() => test.drop());

  it('contains vendor and dialect', () => {
    const vendor = { sqlite: 'sqlite', mariadb: 'mysql', mysql: 'mysql', postgres: 'postgres' }[dialect];
    expect(catalog).toMatchObject({ vendor, dialect });
  });

  it('contains tables and readable views in code unit order, without internal tables', () => {
    const names = catalog.tables.map(({ name, kind }) => (kind === 'view' ? `view ${name}` : name));
    const first = [oddTable[dialect], '__proto__', 'author', 'book'];
    const last = ['shelf', 'svc_collections', 'svc_fields', 'svc_relations', long('t')];
    const own = {
      sqlite: ['view book_title', 'loan', 'measure', 'note', 'order', 'page', ...last],
      mariadb: ['view book_title', 'loan', 'order', ...last, 'visit'],
      mysql: ['view book_title', 'loan', 'order', ...last, 'visit'],
      postgres: ['view book_title', 'far', 'loan', 'view loan_count', 'order', ...last, 'visit'],
    };
    expect(names).toEqual([...first, ...own[dialect]]);
  });

  it('returns the same bytes on every run', async () => {
    const first = await introspect(reader, {});
    expect(JSON.stringify(await introspect(reader, {}))).toBe(JSON.stringify(first));
  });

  it('is deeply frozen, plain JSON', () => {
    const parts: unknown[] = [catalog];
    for (const part of parts) {
      if (typeof part !== 'object' || part === null) continue;
      expect(Object.isFrozen(part)).toBe(true);
      parts.push(...Object.values(part));
    }
    expect(parts.length).toBeGreaterThan(500);
    expect(JSON.parse(JSON.stringify(catalog))).toEqual(catalog);
  });

  it('reads single, composite and missing primary keys in key order', () => {
    expect(table('author').primaryKey).toEqual(['id']);
    expect(table('shelf').primaryKey).toEqual(['number', 'room']);
    expect(table('loan').primaryKey).toBeNull();
    expect(table('book_title').primaryKey).toBeNull();
  });

  it('marks auto-increment keys', () => {
    expect(column('author', 'id')).toMatchObject({ autoIncrement: true, nullable: false, default: null });
    expect(column('book', 'id')).toMatchObject({ autoIncrement: true, nullable: false });
    expect(column('shelf', 'number')).toMatchObject({ autoIncrement: false, nullable: false });
  });

  it('marks nullable columns', () => {
    expect(column('book', 'title').nullable).toBe(false);
    expect(column('book', 'isbn').nullable).toBe(true);
  });

  it('reads foreign keys of one and several columns, including self-references', () => {
    const { foreignKeys } = table('book');
    expect(foreignKeys).toEqual([
      {
        name: 'book_author',
        columns: ['author'],
        table: 'author',
        references: ['id'],
        onUpdate: 'set null',
        onDelete: 'cascade',
      },
      {
        name: 'book_sequel_of_foreign',
        columns: ['sequel_of'],
        table: 'book',
        references: ['id'],
        onUpdate: silentAction[dialect],
        onDelete: silentAction[dialect],
      },
      {
        name: 'book_shelf',
        columns: ['shelf', 'room'],
        table: 'shelf',
        references: ['number', 'room'],
        onUpdate: 'restrict',
        onDelete: 'no action',
      },
    ]);
  });

  it('reads unique constraints and unique indexes alike', () => {
    expect(table('book').uniques).toEqual([
      { name: 'book_author_title', columns: ['author', 'title'] },
      { name: 'book_isbn_unique', columns: ['isbn'] },
      { name: 'book_sequel', columns: ['sequel_of'] },
    ]);
    expect(table('author').uniques).toEqual([{ name: 'author_email_unique', columns: ['email'] }]);
  });

  it('reads other indexes with their expressions', () => {
    const { indexes } = table('book');
    const place = { name: 'book_place', columns: ['room', 'shelf'], unique: false };
    const first = { name: 'book_first', columns: ['title'], unique: true };
    const ofMysql = [
      { name: 'book_first', columns: [{ expression: '`title`(20)' }], unique: true },
      place,
      { name: 'book_shelf', columns: ['shelf', 'room'], unique: false },
      { name: 'book_start', columns: [{ expression: '`title`(10)' }, 'id'], unique: false },
      { name: 'book_words', columns: ['title'], unique: false },
    ];
    expect(indexes).toEqual(
      {
        sqlite: [first, lowerTitle('lower(title)'), place],
        postgres: [first, lowerTitle('lower(title::text)'), place],
        mariadb: ofMysql,
        mysql: ofMysql,
      }[dialect],
    );
  });

  it('reads the expressions of generated columns', () => {
    const length = titleLength[dialect];
    const stored = dialect === 'postgres';
    expect(column('author', 'display_name').generated).toEqual({ expression: displayName[dialect], stored });
    expect(column('author', 'name_length').generated).toEqual({ expression: length, stored: true });
    expect(column('author', 'name').generated).toBeNull();
  });

  it('reads the types of view columns, without defaults', () => {
    expect(table('book_title')).toMatchObject({ kind: 'view', uniques: [], foreignKeys: [], indexes: [] });
    const bits = dialect === 'sqlite' ? 54 : 32;
    expect(column('book_title', 'id').type).toEqual({ kind: 'integer', bits, signed: true });
    expect(column('book_title', 'id').default).toBeNull();
    expect(column('book_title', 'title').type).toEqual({ kind: 'string', length: 160 });
  });

  it('keeps names unchanged', () => {
    const names = table('order').columns.map(({ name }) => name);
    const odd = ['select', 'with space', 'dot.ted', 'quo"te'];
    const own = {
      sqlite: ['UPPER', 'größe', '🐘'],
      mariadb: ['tick`', 'UPPER', 'größe'],
      mysql: ['tick`', 'UPPER', 'größe'],
      postgres: ['UPPER', 'größe', '🐘', 'what?'],
    };
    expect(names).toEqual([...odd, ...own[dialect], '__proto__', long('a')]);
    expect(table('order').uniques).toEqual([{ name: 'order_UPPER_unique', columns: ['UPPER'] }]);
    expect(table('__proto__').columns.map(({ name }) => name)).toEqual(['constructor']);
    expect(table(oddTable[dialect]).foreignKeys).toMatchObject([
      {
        name: dialect === 'sqlite' ? `${oddTable[dialect]}_order_foreign` : long('c'),
        columns: ['order'],
        table: 'order',
        references: ['select'],
      },
    ]);
  });

  it('includes tables by pattern, and all system tables', async () => {
    const system = ['svc_collections', 'svc_fields', 'svc_relations'];
    expect(await tableNames(reader, { include: ['book*', '*shelf'], exclude: ['*_title', 'svc_*'] })).toEqual(
      ['book', 'shelf', ...system],
    );
    expect(await tableNames(reader, { include: ['Gr*x*', '__proto__', 'BOOK'] })).toEqual([
      oddTable[dialect],
      '__proto__',
      ...system,
    ]);
  });

  it('keeps foreign keys to excluded tables', async () => {
    const { tables } = await introspect(reader, { include: ['book'] });
    expect(tables[0]?.foreignKeys.map((key) => key.table)).toEqual(['author', 'book', 'shelf']);
  });

  it('reads meta in order, without ids and nulls, JSON and booleans as values', async () => {
    await test.execute(
      `
      DELETE FROM svc_collections; DELETE FROM svc_fields; DELETE FROM svc_relations;
      INSERT INTO svc_collections VALUES ('book', TRUE, '[{"language": "de"}]', 3), ('Author', FALSE, NULL, NULL);
      INSERT INTO svc_fields (collection, field, special, "group", options, required) VALUES
        ('book', 'title', 'm2o,cast-json', NULL, '"text"', TRUE),
        ('book', 'Isbn', NULL, 'meta', '{"a": {"b": [1, null]}}', NULL),
        ('author', 'name', NULL, NULL, 'null', FALSE);
      INSERT INTO svc_relations (many_collection, many_field, one_collection) VALUES ('book', 'author', 'author');
    `.replaceAll('"group"', (await loadDialect(dialect)).quote('group')),
    );
    const { meta } = await introspect(reader, { include: ['nothing'] });
    expect(meta).toEqual({
      collections: [
        { collection: 'Author', hidden: false },
        { collection: 'book', hidden: true, translations: [{ language: 'de' }], sort: 3 },
      ],
      fields: [
        { collection: 'author', field: 'name', required: false },
        { collection: 'book', field: 'Isbn', group: 'meta', options: { a: { b: [1, null] } } },
        { collection: 'book', field: 'title', special: 'm2o,cast-json', options: 'text', required: true },
      ],
      relations: [{ many_collection: 'book', many_field: 'author', one_collection: 'author' }],
    });
  });
});

describe.each(dialects)('a schema of %s', (dialect) => {
  it.each([3, 60])('with %i tables takes the same number of statements', async (count) => {
    const test = await createTestDatabase(dialect, { sql: tablesInRow(count) });
    try {
      const statements: string[] = [];
      const reader: CatalogReader = {
        dialect,
        query: (sql, values) => {
          statements.push(sql);
          return catalogReader(test.database).query(sql, values);
        },
      };
      const catalog = await introspect(reader, {});
      expect(catalog.tables).toHaveLength(count);
      expect(catalog.meta).toEqual({ collections: [], fields: [], relations: [] });
      expect(statements).toHaveLength(statementsOf[dialect]);
      expect(statements.filter((sql) => !/ORDER BY/.test(sql))).toEqual([]);
    } finally {
      await test.drop();
    }
  });

  it('without tables results in an empty catalog', async () => {
    const test = await createTestDatabase(dialect);
    try {
      const catalog = await introspect(catalogReader(test.database), {});
      expect(catalog.tables).toEqual([]);
    } finally {
      await test.drop();
    }
  });
});

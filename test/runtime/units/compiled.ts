/** Compiles queries to statements, without a database: a small library, its readers, and every dialect. */
import {
  requireField,
  createRegistry,
  defineCollection,
  manyToAny,
  manyToOne,
  oneToMany,
  type Collection,
} from '../../../contract/collection.js';
import {
  bigInteger,
  binary,
  boolean,
  date,
  float,
  integer,
  json,
  string,
  text,
} from '../../../contract/fields.js';
import { createPolicyIndex, type PolicySet } from '../../../runtime/access/policies.js';
import type { Permission } from '../../../runtime/access/grant.js';
import { mariadb } from '../../../runtime/databases/mysql/mariadb-dialect.js';
import { mysql } from '../../../runtime/databases/mysql/dialect.js';
import { postgres } from '../../../runtime/databases/postgres/dialect.js';
import { sqlite } from '../../../runtime/databases/sqlite/dialect.js';
import { planRead } from '../../../runtime/plan/read.js';
import type { ReadPlan } from '../../../runtime/plan/types.js';
import { readQuery } from '../../../runtime/request/query.js';
import type { BindInput, RenderedStatement, Statement } from '../../../runtime/sql/fragment.js';
import type { ReadOptions } from '../../../runtime/sql/page.js';
import { compileRead, type CompiledRead } from '../../../runtime/sql/read.js';
import type { Token } from '../../../runtime/sql/select.js';

/** More relations than a statement joins. */
const manyLinks = Array.from({ length: 60 }, (_, index) => `link${index}`);

const registry = createRegistry([
  defineCollection({
    name: 'shelf',
    path: '/items/shelf',
    key: ['id'],
    fields: {
      id: integer({ dbType: 'int' }),
      label: string(),
      room: string({ nullable: true }),
      genre: string({ nullable: true, dbType: 'genres' }),
    },
    relations: { books: oneToMany('book', ['shelf'], ['id']) },
  }),
  defineCollection({
    name: 'book',
    path: '/items/book',
    key: ['code'],
    fields: {
      code: string({ length: 20 }),
      title: string(),
      pages: integer({ dbType: 'int' }),
      weight: float({ dbType: 'float' }),
      isbn: bigInteger(),
      cover: binary({ nullable: true }),
      facts: json({ nullable: true }),
      lent: boolean(),
      bought: date({ nullable: true }),
      secret: string({ conceal: true }),
      pin: string({ hash: true }),
      shelf: integer({ nullable: true }),
      sequel: string({ nullable: true }),
    },
    relations: {
      shelf: manyToOne('shelf', ['shelf'], ['id']),
      sequel: manyToOne('book', ['sequel'], ['code']),
      notes: oneToMany('note', ['book'], ['code']),
      loans: oneToMany('loan', ['book'], ['code'], { sortField: 'day' }),
    },
  }),
  defineCollection({
    name: 'note',
    path: '/items/note',
    key: ['id'],
    fields: { id: integer(), book: string(), text: text({ nullable: true }) },
    relations: { book: manyToOne('book', ['book'], ['code']) },
  }),
  defineCollection({
    name: 'loan',
    path: '/items/loan',
    key: ['book', 'day'],
    fields: { book: string(), day: date(), reader: string({ nullable: true }) },
    relations: {
      book: manyToOne('book', ['book'], ['code']),
      fines: oneToMany('fine', ['book', 'day'], ['book', 'day']),
    },
  }),
  defineCollection({
    name: 'fine',
    path: '/items/fine',
    key: ['id'],
    fields: { id: integer(), book: string(), day: date(), cents: integer() },
    relations: { loan: manyToOne('loan', ['book', 'day'], ['book', 'day']) },
  }),
  defineCollection({
    name: 'hub',
    path: '/items/hub',
    key: ['id'],
    fields: { id: integer(), ...Object.fromEntries(manyLinks.map((name) => [name, integer()])) },
    relations: Object.fromEntries(manyLinks.map((name) => [name, manyToOne('shelf', [name], ['id'])])),
  }),
  defineCollection({
    name: 'crate',
    path: '/items/crate',
    key: ['id'],
    fields: { id: bigInteger() },
    relations: {
      items: oneToMany('item', ['crate'], ['id']),
      tags: oneToMany('tag', ['crate'], ['id'], { sortField: 'rank' }),
    },
  }),
  defineCollection({
    name: 'item',
    path: '/items/item',
    key: ['id'],
    fields: { crate: bigInteger({ dbType: '' }), id: integer() },
  }),
  defineCollection({
    name: 'tag',
    path: '/items/tag',
    key: ['id'],
    fields: { id: integer(), crate: bigInteger(), rank: integer({ nullable: true }) },
  }),
  defineCollection({
    name: 'seat',
    path: '/items/seat',
    key: ['row', 'letter'],
    fields: { row: integer(), letter: string() },
    relations: { tickets: oneToMany('ticket', ['row', 'letter'], ['row', 'letter']) },
  }),
  defineCollection({
    name: 'ticket',
    path: '/items/ticket',
    key: ['id'],
    fields: { id: integer(), row: integer(), letter: string() },
  }),
  defineCollection({
    name: 'odd',
    path: '/items/odd',
    sortField: 'v1.0',
    key: ['id'],
    fields: {
      id: integer(),
      'v1.0': string(),
      'a.b.c': string(),
      '-x': string(),
      x: string(),
      '-shelf': integer(),
      target: string(),
      kind: string(),
    },
    relations: {
      '-shelf': manyToOne('shelf', ['-shelf'], ['id']),
      target: manyToAny('target', 'kind', ['book', 'shelf']),
      pages: oneToMany('odd', ['id'], ['id'], { listed: true }),
      more: oneToMany('odd', ['id'], ['id']),
    },
  }),
  defineCollection({
    name: 'sums',
    path: '/items/sums',
    view: true,
    key: [],
    fields: { room: string(), count: integer() },
  }),
  defineCollection({ name: 'log', path: '/items/log', key: [], fields: { line: text() } }),
  defineCollection({
    name: 'desk',
    path: '/items/desk',
    key: ['id'],
    fields: { id: integer() },
    relations: { entries: oneToMany('log', ['line'], ['id']) },
  }),
]);

export const collectionOf = (name: string): Collection => registry.collections.get(name) as Collection;

export const fieldOf = (collection: string, name: string) => requireField(collectionOf(collection), name);

export const dialects = { sqlite, mariadb, mysql, postgres };

type DialectName = keyof typeof dialects;

/** A permission to read, as far as it differs from every field of every row. */
export type ReadPermission = Partial<Permission> & Pick<Permission, 'collection'>;

/** A permission to read every field of every row. */
const everything = {
  action: 'read',
  permissions: null,
  validation: null,
  presets: null,
  fields: ['*'],
};

const reader = { id: 'ann', role: null, status: 'active', columns: {} };

/** Policies of an administrator, or of a reader with these permissions, each of which is a policy of its own. */
export const policiesOf = (permissions?: readonly ReadPermission[]): PolicySet => {
  const ids = (permissions ?? ['all']).map((_, index) => `p${index}`);
  return createPolicyIndex({
    version: '1',
    roles: [],
    policies: ids.map((id) => ({ id, admin: permissions === undefined })),
    access: ids.map((policy) => ({ policy, role: null, user: reader.id })),
    permissions: (permissions ?? []).map((permission, index) =>
      Object.assign({ policy: `p${index}` }, everything, permission),
    ),
  }).policiesOf(reader);
};

export interface CompileOptions {
  readonly dialect?: DialectName | undefined;
  readonly permissions?: readonly ReadPermission[] | undefined;
  readonly limits?: ReadOptions['limits'];
  /** Changes the plan before it is compiled. */
  readonly restrict?: (plan: ReadPlan) => ReadPlan;
}

export interface Compiled {
  readonly read: CompiledRead;
  readonly values: readonly unknown[];
}

type SearchBody = Readonly<Record<string, unknown>>;

/** Plans a query, given as the object of a SEARCH body. */
export const planOf = (
  collection: string,
  query: SearchBody,
  { permissions }: Pick<CompileOptions, 'permissions'> = {},
): ReadPlan =>
  planRead(readQuery(query).query, collectionOf(collection), {
    policies: policiesOf(permissions),
    maxDepth: 10,
  });

/** Plans and compiles a query. */
export const compile = (
  collection: string,
  query: SearchBody,
  {
    dialect = 'sqlite',
    limits = { fallback: 100, maximum: null, nestedRows: null },
    restrict,
    ...options
  }: CompileOptions = {},
): Compiled => {
  const plan = planOf(collection, query, options);
  const read = compileRead(restrict === undefined ? plan : restrict(plan), {
    dialect: dialects[dialect],
    limits,
  });
  return { read, values: readQuery(query).values };
};

/** Input of bound statements, in which variables keep their names. */
export const inputOf = (values: readonly unknown[], keys: readonly unknown[] = []): BindInput => ({
  values,
  keys,
  resolve: (value) => value,
  resolveQueryValue: (value) => value,
});

/** A statement in one line, its values behind. */
export const printStatement = ({ text: sql, values }: RenderedStatement): string =>
  values.length === 0 ? sql : `${sql} -- ${values.map(printValue).join(', ')}`;

const printValue = (value: unknown): string => {
  if (typeof value === 'bigint') return `${value}n`;
  return Buffer.isBuffer(value) ? `x'${value.toString('hex')}'` : JSON.stringify(value);
};

export const render = (statement: Statement | null, values: readonly unknown[], keys?: readonly unknown[]) =>
  statement === null ? null : printStatement(statement.render(inputOf(values, keys)));

/** The statement of the rows of a query. */
export const statementOf = (
  collection: string,
  query: SearchBody,
  options?: CompileOptions & { readonly keys?: readonly unknown[] },
): string => {
  const { read, values } = compile(collection, query, options);
  return render(read.rows.statement, values, options?.keys) ?? '';
};

/** A template in one line: text as it is, `<…>` for what comes from columns. */
export const printTokens = (tokens: readonly Token[]): string => tokens.map(printToken).join('');

const printToken = (token: Token): string => {
  switch (token.kind) {
    case 'literal':
      return String(token.bytes);
    case 'value':
      return `<${token.field.name}>`;
    case 'one':
      return `<${token.isShared ? 'shared' : 'marker'}, else skip ${token.skipTokens} tokens, ${token.skipColumns} columns>`;
    case 'list':
      return `<list ${token.list} by ${token.columns}>`;
    case 'any':
      return `<any ${[...token.lists].join(' ')}>`;
    case 'end':
      return '<end>';
    case 'key':
      return `<key ${token.fields.map(({ name }) => name).join()}>`;
  }
};

/** Types of columns that no demo has: enums narrow in items, payloads and filters, and arrays have elements. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { format } from 'oxfmt';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { emitCollection } from '../../generator/emitters/client/collection.js';
import { emitCore } from '../../generator/emitters/client/core.js';
import { emitSchema } from '../../generator/emitters/client/schema.js';
import { compile, messagesByFile } from '../compiler.js';
import { counter, collection, field } from '../generator/models.js';
import { strictestOfPrograms } from './package.js';

const states = ['open', 'paid', 'sent'];
const elements = {
  length: null,
  precision: null,
  scale: null,
  bits: null,
  unsigned: false,
  fraction: null,
  geometry: null,
};
const listOf = (name: string, type: 'unknown' | 'bigInteger' | 'float') =>
  field(name, 'json', { element: { ...elements, type, values: null } });

const orders = collection('orders', [
  counter('id'),
  field('state', 'string', { values: states }),
  field('history', 'string', { values: states, nullable: true }),
  field('country', 'string', { values: Array.from({ length: 30 }, (_, index) => `country ${index}`) }),
  field('region', 'string', {
    nullable: true,
    values: Array.from({ length: 30 }, (_, index) => `region ${index}`),
  }),
  listOf('labels', 'unknown'),
  listOf('weights', 'float'),
  listOf('numbers', 'bigInteger'),
]);
const served = new Map([[orders.name, orders]]);
const emitted = emitCollection(orders, served);

const head = `import type { Schema } from './schema.js';
type Filter = Schema['orders']['filter'];
type Create = Schema['orders']['create'];
type Update = Schema['orders']['update'];
type Item = Schema['orders']['item'];
`;

/** Programs that compile. */
const right = {
  'filter by a value': "export const filter: Filter = { state: { _eq: 'paid' } };",
  'filter by values': "export const filter: Filter = { history: { _in: ['open', 'sent'], _nnull: true } };",
  'match part of a value': "export const filter: Filter = { state: { _starts_with: 'pa' } };",
  'write a value': "export const update: Update = { state: 'sent', history: null };",
  'write arrays': "export const update: Update = { labels: ['a'], weights: [1.5], numbers: ['1'] };",
  'read an array': 'export const first = (item: Item): string | undefined => item.labels[0]?.trim();',
  'read a number of an array': 'export const first = (item: Item): number => item.weights[0] ?? 0;',
};

/** Programs that do not compile, with the message of the compiler. */
const wrong = {
  'filter by a misspelt value': [
    "export const filter: Filter = { state: { _eq: 'piad' } };",
    `Type '"piad"' is not assignable to type '"open" | "paid" | "sent" | null`,
  ],
  'filter by a misspelt value of several': [
    "export const filter: Filter = { _or: [{ history: { _nin: ['paid', 'snet'] } }] };",
    `Type '"snet"' is not assignable to type '"open" | "paid" | "sent"'`,
  ],
  'create with a misspelt value': [
    "export const made: Pick<Create, 'state'> = { state: 'piad' };",
    `Type '"piad"' is not assignable to type '"open" | "paid" | "sent"'`,
  ],
  'write another element': [
    'export const update: Update = { labels: [1] };',
    `Type 'number' is not assignable to type 'string'`,
  ],
} as const;

const fileOf = (name: string): string => `${name.replaceAll(' ', '-')}.ts`;

let folder: string;
let found: ReadonlyMap<string, readonly string[]>;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'svc-columns-'));
  const write = (path: string, content: string): void => {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  };
  for (const { path, content } of [...emitCore(), emitSchema([orders]), emitted])
    write(path.slice('client/src/'.length), content);
  write('package.json', '{ "type": "module" }');
  const programs = [
    ...Object.entries(right),
    ...Object.entries(wrong).map(([name, [program]]) => [name, program] as const),
  ];
  for (const [name, program] of programs) write(fileOf(name), head + program);
  const files = programs.map(([name]) => fileOf(name));
  const options = { ...strictestOfPrograms, noUnusedLocals: false, noEmit: true };
  found = messagesByFile(await compile({ folder, files, options }));
}, 120_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it.each(Object.keys(right))('%s compiles', (name) => {
  expect(found.get(fileOf(name)) ?? []).toEqual([]);
});

it.each(Object.entries(wrong))('%s does not compile', (name, [, message]) => {
  const messages = found.get(fileOf(name)) ?? [];
  expect(messages).toHaveLength(1);
  expect(messages[0]).toContain(message);
});

it('an enum with many values passes the formatter', async () => {
  const settings = JSON.parse(readFileSync('.oxfmtrc.json', 'utf8')) as Record<string, unknown>;
  const { $schema: _, ...style } = settings;
  const { code } = await format(emitted.path, emitted.content, style);
  expect(emitted.content).toEqual(code);
});

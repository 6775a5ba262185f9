/** Plans of reads of events, albums and blocks: functions, lists, and relations to several collections. */
import {
  createRegistry,
  defineCollection,
  manyToAny,
  manyToOne,
  oneToMany,
  type Collection,
} from '../../../contract/collection.js';
import { boolean, date, integer, json, string, timestamp } from '../../../contract/fields.js';
import { planRead } from '../../../runtime/plan/read.js';
import type { AnyTarget, Entry, ReadPlan, Select } from '../../../runtime/plan/types.js';
import type { FieldNode } from '../../../runtime/request/query.js';
import { readQuery } from '../../../runtime/request/query.js';
import { policiesOf, type ReadPermission } from './compiled.js';

const { collections } = createRegistry([
  defineCollection({
    name: 'event',
    path: null,
    key: ['id'],
    fields: {
      id: integer(),
      day: date(),
      at: timestamp(),
      open: boolean(),
      facts: json({ nullable: true }),
      secret: json({ conceal: true }),
      hidden: date({ conceal: true }),
      hashed: date({ hash: true }),
      'year(old)': integer(),
      parent: integer({ nullable: true }),
    },
    relations: {
      parent: manyToOne('event', ['parent'], ['id']),
      parts: oneToMany('part', ['event'], ['id']),
      'count(old)': oneToMany('part', ['event'], ['id']),
    },
  }),
  defineCollection({
    name: 'part',
    path: null,
    key: ['id'],
    fields: { id: integer(), event: integer(), name: string() },
  }),
  defineCollection({
    name: 'album',
    path: null,
    key: ['id'],
    fields: { id: integer(), code: integer(), title: string() },
    relations: {
      songs: oneToMany('song', ['album'], ['id'], { listed: true }),
      covers: oneToMany('song', ['cover'], ['id'], { listed: true }),
      codes: oneToMany('song', ['album'], ['code'], { listed: true }),
      blocks: oneToMany('block', ['album'], ['id'], { listed: true }),
      unlisted: oneToMany('song', ['album'], ['id']),
    },
  }),
  defineCollection({
    name: 'song',
    path: null,
    key: ['id'],
    fields: { id: integer(), album: integer(), cover: integer(), next: integer(), name: string() },
    relations: {
      album: manyToOne('album', ['album'], ['id']),
      cover: manyToOne('album', ['cover'], ['id']),
      next: manyToOne('song', ['next'], ['id']),
    },
  }),
  defineCollection({
    name: 'block',
    path: null,
    key: ['id'],
    fields: { id: integer(), album: integer(), item: string(), kind: string(), note: string() },
    relations: { item: manyToAny('item', 'kind', ['album', 'song']) },
  }),
]);

type Body = Readonly<Record<string, unknown>>;

export interface PlanOptions {
  readonly permissions?: readonly ReadPermission[];
  /** What is selected, in place of the names of the query: for what names cannot express. */
  readonly nodes?: readonly FieldNode[];
}

export const collectionOf = (name: string): Collection => collections.get(name) as Collection;

export const planOf = (
  collection: string,
  body: Body,
  { permissions, nodes }: PlanOptions = {},
): ReadPlan => {
  const { query } = readQuery(body);
  return planRead(nodes === undefined ? query : { ...query, fields: nodes }, collectionOf(collection), {
    policies: policiesOf(permissions),
    maxDepth: 10,
  });
};

export const entriesOf = (collection: string, body: Body, options?: PlanOptions): readonly Entry[] => {
  const { select } = planOf(collection, body, options);
  return select.kind === 'key' ? [] : select.entries;
};

/** A selection by the names of its entries: `one(…)`, `many[…]`, `any<collection(…)>`, `group{…}`, `constant=…`. */
export const printSelect = (select: Select): string =>
  select.kind === 'key' ? 'key' : select.entries.map(printEntry).join(' ');

const printTarget = ({ plan }: AnyTarget): string => `${plan.collection.name}(${printSelect(plan.select)})`;

const printEntry = (entry: Entry): string => {
  switch (entry.kind) {
    case 'field':
    case 'groups':
      return entry.name;
    case 'constant':
      return `${entry.name}=${entry.json}`;
    case 'group':
      return `${entry.name}{${printSelect(entry.select)}}`;
    case 'one':
      return `${entry.name}(${printSelect(entry.select)})`;
    case 'many':
      return `${entry.name}[${printSelect(entry.plan.select)}]`;
    case 'any':
      return `${entry.name}<${entry.targets.map(printTarget).join(' ')}>`;
  }
};

export const selectionOf = (collection: string, body: Body, options?: PlanOptions): string =>
  printSelect(planOf(collection, body, options).select);

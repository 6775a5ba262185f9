/** The requests that are measured: what our server is asked and what the floor is asked for the same answer. */
import {
  articleFields,
  crowdedArticles,
  articleValues,
  bulkCount,
  counts,
  statuses,
  tagName,
} from './data.js';
import type { Random } from './random.js';
import { contentShapes } from './content-shapes.js';
import { serialMark, type BenchRequest, type Target } from './load.js';

export interface Shape {
  readonly name: string;
  readonly title: string;
  /** Least ratio of requests a second, server ÷ floor, on MariaDB; see `targetOn`. */
  readonly target: number;
  /** Ratio to work towards, which is reported and not judged; absent if none is set. */
  readonly aim?: number;
  /** Compared with the same server asked by an administrator with a static token, not with the floor. */
  readonly caller?: 'reader' | 'session';
  /** The server's answer in the words of the floor, where it says the same in others. */
  toFloor?(answer: unknown): unknown;
  /** Number of requests that are drawn, for large ones. */
  readonly drawn?: number;
  /** Clients at a time, where an answer is large. */
  readonly connections?: number;
  /** Reads what requests are made of from our server. */
  prepare?(server: Target): Promise<void>;
  /** Each drawn request is new, so that nothing answers from a cache. */
  draw(random: Random): { readonly server: BenchRequest; readonly floor: BenchRequest };
}

const all = articleFields.join(',');

/** Starts of a run of keys that is whole wherever it starts. */
const drawStart = (random: Random): number => random(counts.articles - 100);

const get = (path: string): BenchRequest => ({ method: 'GET', path });

const getOne = (id: number): BenchRequest => get(`/items/articles/${id}?fields=${all}`);

const drawPage = (random: Random) => ({
  status: statuses[random(statuses.length)] ?? 'draft',
  offset: random(200),
});

const getPage = (status: string, offset: number): BenchRequest =>
  get(
    `/items/articles?fields=${all}&filter[status][_eq]=${status}` +
      `&sort=-published_at,-id&limit=100&offset=${offset}`,
  );

export const shapes: readonly Shape[] = [
  {
    name: 'one',
    title: 'one item by key, 10 fields',
    target: 1,
    aim: 1.1,
    draw: (random) => {
      const id = 1 + random(counts.articles);
      return { server: getOne(id), floor: get(`/one?id=${id}`) };
    },
  },
  {
    name: 'flat',
    title: '100 rows × 4 fields, by key',
    target: 1.1,
    aim: 1.4,
    draw: (random) => {
      const after = drawStart(random);
      return {
        server: get(`/items/articles?fields=id,title,slug,status&filter[id][_gt]=${after}&sort=id&limit=100`),
        floor: get(`/flat?after=${after}`),
      };
    },
  },
  {
    name: 'page',
    title: '100 rows × 10 fields, indexed filter and sort',
    target: 1,
    aim: 1.2,
    draw: (random) => {
      const { status, offset } = drawPage(random);
      return { server: getPage(status, offset), floor: get(`/page?status=${status}&offset=${offset}`) };
    },
  },
  {
    name: 'rules',
    title: 'page under rules for rows and fields ÷ page of an administrator',
    target: 0.95,
    aim: 1,
    caller: 'reader',
    draw: (random) => {
      const { status, offset } = drawPage(random);
      return { server: getPage(status, offset), floor: getPage(status, offset) };
    },
  },
  {
    name: 'jwt',
    title: 'one for a caller with a JWT ÷ one for a caller with a static token',
    target: 0.95,
    aim: 1,
    caller: 'session',
    draw: (random) => {
      const request = getOne(1 + random(counts.articles));
      return { server: request, floor: request };
    },
  },
  {
    name: 'nest',
    title: '50 rows with to-one and many-to-many',
    target: 1.1,
    aim: 1.4,
    draw: (random) => {
      const after = drawStart(random);
      const fields = 'id,title,author_id.id,author_id.name,article_tags.tag_id.id,article_tags.tag_id.name';
      return {
        server: get(`/items/articles?fields=${fields}&filter[id][_gt]=${after}&sort=id&limit=50`),
        floor: get(`/nest?after=${after}`),
      };
    },
  },
  {
    name: 'deep',
    title: '50 rows, the 5 newest of a list each, one of 50 000',
    target: 0.9,
    aim: 1,
    draw: (random) => {
      const after = (crowdedArticles[random(crowdedArticles.length)] ?? 0) - 1 - random(50);
      const fields = 'id,comments.id,comments.author_name,comments.created_at';
      const newest = 'deep[comments][_sort]=-created_at,-id&deep[comments][_limit]=5';
      return {
        server: get(`/items/articles?fields=${fields}&${newest}&filter[id][_gt]=${after}&sort=id&limit=50`),
        floor: get(`/deep?after=${after}`),
      };
    },
  },
  {
    name: 'filter',
    title: 'rows by a column two lists away',
    target: 0.9,
    aim: 1,
    draw: (random) => {
      const tag = encodeURIComponent(tagName(1 + random(counts.tags)));
      return {
        server: get(
          `/items/authors?fields=id,name&filter[articles][article_tags][tag_id][name][_eq]=${tag}&sort=id`,
        ),
        floor: get(`/filter?tag=${tag}`),
      };
    },
  },
  {
    name: 'graphql',
    title: 'the rows of nest through /graphql',
    target: 1,
    aim: 1.3,
    draw: (random) => {
      const after = drawStart(random);
      const body = JSON.stringify({ query: nestDocument, variables: { after } });
      return { server: { method: 'POST', path: '/graphql', body }, floor: get(`/nest?after=${after}`) };
    },
    toFloor: (answer) => ({ data: numberKeys((answer as { data: { articles: unknown } }).data.articles) }),
  },
  {
    name: 'create',
    title: 'one row, returned',
    target: 0.9,
    aim: 1,
    draw: (random) => {
      const body = JSON.stringify(drawDraft(random));
      return {
        server: { method: 'POST', path: `/items/drafts?fields=${all}`, body },
        floor: { method: 'POST', path: '/create', body },
      };
    },
  },
  {
    name: 'create-list',
    title: 'one row, returned with an empty list',
    target: 0.85,
    aim: 0.95,
    draw: (random) => {
      const body = JSON.stringify(drawDraft(random));
      return {
        server: { method: 'POST', path: `/items/drafts?fields=${all},draft_tags.tag_id.name`, body },
        floor: { method: 'POST', path: '/create-list', body },
      };
    },
  },
  {
    name: 'bulk',
    title: `${bulkCount} rows in one call, their keys returned`,
    target: 0.7,
    aim: 0.9,
    drawn: 20,
    draw: (random) => {
      const drafts = Array.from({ length: bulkCount }, (_, index) =>
        drawDraft(random, `${serialMark}-${index}`),
      );
      const body = JSON.stringify(drafts);
      return {
        server: { method: 'POST', path: '/items/drafts?fields=id', body },
        floor: { method: 'POST', path: '/bulk', body },
      };
    },
  },
  ...contentShapes((random) => drawDraft(random)),
];

const nestDocument = `query ($after: GraphQLStringOrFloat) {
  articles(filter: { id: { _gt: $after } }, sort: ["id"], limit: 50) {
    id
    title
    author_id { id name }
    article_tags { tag_id { id name } }
  }
}`;

/** Keys are texts in GraphQL. */
const numberKeys = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value), (key, each: unknown) => (key === 'id' ? Number(each) : each));

/** In wire form; the suffix with the mark makes the slug unique. */
const drawDraft = (random: Random, suffix = serialMark): Record<string, unknown> => {
  const values = articleValues(random, suffix);
  const row = Object.fromEntries(articleFields.slice(1).map((field, index) => [field, values[index]]));
  return {
    ...row,
    featured: row.featured === '1',
    published_at: String(row.published_at).replace(' ', 'T'),
  };
};

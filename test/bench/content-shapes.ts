/** Shapes of the content API: groups, blocks, nested creates, cursors and exports. */
import { articleFields, counts, nestedCount, statuses } from './data.js';
import type { Random } from './random.js';
import { serialMark, type BenchRequest, type Target } from './load.js';
import type { Shape } from './shapes.js';

const all = articleFields.join(',');

const get = (path: string): BenchRequest => ({ method: 'GET', path });

/** A month in wire form; the data lie between 2020 and 2024. */
const drawMonth = (random: Random): { readonly from: string; readonly to: string } => {
  const start = Date.UTC(2020, 0, 1) + random(140_000_000) * 1_000;
  return { from: dateTime(start), to: dateTime(start + 30 * 86_400_000) };
};

const dateTime = (time: number): string => new Date(time).toISOString().slice(0, 19);

/** Pages of ten from about the 9 000th on: the key before each, and the cursor that leads to it. */
const cursors: { readonly after: number; readonly cursor: string }[] = [];

const readCursors = async ({ origin, headers }: Target): Promise<void> => {
  cursors.length = 0;
  for (let page = 9_000; page < 9_990; page += 30) {
    const path = `/items/articles?fields=id&sort=id&limit=10&offset=${page * 10}&meta=cursor`;
    const response = await fetch(`${origin}${path}`, { headers });
    const { data, meta } = (await response.json()) as {
      readonly data: readonly { readonly id: number }[];
      readonly meta: { readonly cursor: string };
    };
    cursors.push({ after: data.at(-1)?.id ?? 0, cursor: meta.cursor });
  }
};

/** Without what the floor does not say. */
const dataOf = (answer: unknown): unknown => ({ data: (answer as { readonly data: unknown }).data });

export const contentShapes = (drawDraft: (random: Random) => Record<string, unknown>): readonly Shape[] => [
  {
    name: 'aggregate',
    title: 'count and sum by author, indexed filter of a month',
    target: 0.95,
    aim: 1,
    draw: (random) => {
      const status = statuses[random(statuses.length)] ?? 'draft';
      const { from, to } = drawMonth(random);
      const filter = `filter[status][_eq]=${status}&filter[published_at][_between]=${from},${to}`;
      return {
        server: get(
          `/items/articles?groupBy=author_id&aggregate[count]=*&aggregate[sum]=views&${filter}&sort=author_id&limit=-1`,
        ),
        floor: get(
          `/aggregate?status=${status}&from=${from.replace('T', '%20')}&to=${to.replace('T', '%20')}`,
        ),
      };
    },
  },
  {
    name: 'many-to-any',
    title: '20 pages of 10 blocks, items of four collections',
    target: 0.8,
    aim: 1,
    draw: (random) => {
      const after = random(counts.pages - 20);
      const fields = 'id,title,blocks.kind,blocks.item.title,blocks.item.body';
      return {
        server: get(`/items/pages?fields=${fields}&filter[id][_gt]=${after}&sort=id&limit=20`),
        floor: get(`/pages?after=${after}`),
      };
    },
  },
  {
    name: 'nested-create',
    title: `one row with ${nestedCount} children and ${nestedCount} links, its key returned`,
    target: 0.6,
    aim: 0.85,
    drawn: 200,
    draw: (random) => {
      const body = JSON.stringify({
        ...drawDraft(random),
        draft_notes: Array.from({ length: nestedCount }, (_, at) => ({
          text: `note ${at} of ${serialMark}`,
        })),
        draft_tags: Array.from({ length: nestedCount }, (_, at) => ({ tag_id: 1 + at })),
      });
      return {
        server: { method: 'POST', path: '/items/drafts?fields=id', body },
        floor: { method: 'POST', path: '/nested', body },
      };
    },
  },
  {
    name: 'cursor',
    title: '10 rows × 10 fields, about page 10 000 by cursor',
    target: 0.9,
    prepare: readCursors,
    draw: (random) => {
      const { after, cursor } = cursors[random(cursors.length)] ?? { after: 0, cursor: '' };
      return {
        server: get(
          `/items/articles?fields=${all}&sort=id&limit=10&meta=cursor&after=${encodeURIComponent(cursor)}`,
        ),
        floor: get(`/cursor?after=${after}`),
      };
    },
    toFloor: dataOf,
  },
  {
    name: 'export',
    title: '10 000 rows × 10 fields as JSON ÷ a streamed select',
    target: 0.7,
    aim: 0.9,
    drawn: 50,
    connections: 2,
    draw: (random) => {
      const after = random(counts.articles - 10_000);
      return {
        server: get(`/items/articles?export=json&fields=${all}&filter[id][_gt]=${after}&sort=id&limit=10000`),
        floor: get(`/export?after=${after}`),
      };
    },
  },
];

/** Statements of the floor for all databases, and the conversion of their rows to wire form. */
import { articleFields, blockKinds, bulkCount, nestedCount } from './data.js';
import type { Draft, NestedDraft } from './floor.js';

export type Row = Record<string, unknown>;

const all = articleFields.join(', ');
const own = articleFields.slice(1).join(', ');

const pagesRead = 20;

const marks = (count: number, mark = '?'): string => Array(count).fill(mark).join(',');

const newest = (where: string): string =>
  `SELECT article_id, id, author_name, created_at FROM comments WHERE ${where}
    ORDER BY created_at DESC, id DESC LIMIT 5`;

export const sql = {
  one: `SELECT ${all} FROM articles WHERE id = ?`,
  flat: 'SELECT id, title, slug, status FROM articles WHERE id > ? ORDER BY id LIMIT 100',
  page: `SELECT ${all} FROM articles WHERE status = ? ORDER BY published_at DESC, id DESC LIMIT 100 OFFSET ?`,
  parents: `SELECT a.id, a.title, u.id AS author_id, u.name AS author_name
    FROM articles a LEFT JOIN authors u ON u.id = a.author_id WHERE a.id > ? ORDER BY a.id LIMIT 50`,
  children: (count: number): string => `SELECT l.article_id, t.id, t.name
    FROM article_tags l LEFT JOIN tags t ON t.id = l.tag_id
    WHERE l.article_id IN (${marks(count)}) ORDER BY l.id`,
  ids: 'SELECT id FROM articles WHERE id > ? ORDER BY id LIMIT 50',
  newest: newest('article_id = ?'),
  /** One select for each parent: MariaDB has no lateral joins, and those of MySQL ignore the index for the order. */
  newestOfAll: Array(50)
    .fill(0)
    .map((_, index) => `SELECT * FROM (${newest('article_id = ?')}) b${index}`)
    .join(' UNION ALL '),
  newestLateral: `SELECT c.* FROM unnest(cast(? AS int[])) p(id) CROSS JOIN LATERAL (${newest('article_id = p.id')}) c`,
  filter: `SELECT id, name FROM authors WHERE id IN (SELECT a.author_id FROM articles a
    JOIN article_tags l ON l.article_id = a.id JOIN tags t ON t.id = l.tag_id WHERE t.name = ?)
    ORDER BY id LIMIT 100`,
  create: `INSERT INTO drafts (${own}) VALUES (?,?,?,?,?,?,?,?,?)`,
  createMany: `INSERT INTO drafts (${own}) VALUES ${marks(bulkCount, '(?,?,?,?,?,?,?,?,?)')}`,
  returning: `RETURNING ${all}`,
  draft: `SELECT ${all} FROM drafts WHERE id = ?`,
  notes: `INSERT INTO draft_notes (draft_id, text) VALUES ${marks(nestedCount, '(?,?)')}`,
  links: `INSERT INTO draft_tags (draft_id, tag_id) VALUES ${marks(nestedCount, '(?,?)')}`,
  aggregate: `SELECT author_id, COUNT(*) AS count, SUM(views) AS views FROM articles
    WHERE status = ? AND published_at BETWEEN ? AND ? GROUP BY author_id ORDER BY author_id`,
  cursor: `SELECT ${all} FROM articles WHERE id > ? ORDER BY id LIMIT 10`,
  export: `SELECT ${all} FROM articles WHERE id > ? ORDER BY id LIMIT 10000`,
  pages: `SELECT id, title FROM pages WHERE id > ? ORDER BY id LIMIT ${pagesRead}`,
  blocks: `SELECT id, page_id, kind FROM page_blocks WHERE page_id IN (${marks(pagesRead)}) ORDER BY sort, id`,
  /** The items of one collection, by block. @param integer type to which the text of the key is cast */
  blockItems: (
    kind: string,
    integer: string,
  ): string => `SELECT b.id AS block, t.title, t.body FROM page_blocks b
    JOIN ${kind} t ON t.id = CAST(b.item AS ${integer}) WHERE b.page_id IN (${marks(pagesRead)}) AND b.kind = '${kind}'`,
};

/** In the order of `sql.create`. */
export const draftValues = (draft: Draft): (string | number)[] => [
  draft.title,
  draft.slug,
  draft.status,
  draft.views,
  draft.rating,
  draft.featured ? 1 : 0,
  draft.published_at.replace('T', ' '),
  draft.author_id,
  draft.body,
];

/** Values of `sql.notes` and `sql.links`. */
export const nestedValues = (id: number, { draft_notes: notes, draft_tags: links }: NestedDraft) => ({
  notes: notes.flatMap(({ text }) => [id, text]),
  links: links.flatMap(({ tag_id: tag }) => [id, tag]),
});

/** Counts are numbers, sums are texts. */
export const groupToWire = ({ author_id: author, count, views }: Row): Row => ({
  author_id: author,
  count: Number(count),
  sum: { views: String(views) },
});

/** Puts blocks into their pages, and the item of its collection into each block. */
export const nestBlocks = (
  pages: readonly Row[],
  blocks: readonly Row[],
  items: readonly (readonly Row[])[],
): Row[] => {
  const found = new Map<unknown, Row>(
    items.flatMap((rows) => rows.map(({ block, title, body }) => [block, { title, body }] as const)),
  );
  const lists = new Map<unknown, Row[]>(pages.map(({ id }) => [id, []]));
  for (const { id, page_id: page, kind } of blocks) lists.get(page)?.push({ kind, item: found.get(id) });
  return pages.map(({ id, title }) => ({ id, title, blocks: lists.get(id) }));
};

/** Reads pages with their blocks: the blocks at once, and the items of each collection. */
export const readPages = async (
  after: number,
  integer: string,
  rows: (name: string, text: string, values: number[]) => Promise<Row[]> | Row[],
): Promise<Row[]> => {
  const pages = await rows('pages', sql.pages, [after]);
  const ids = pages.map(({ id }) => id as number);
  const [blocks, ...items] = await Promise.all([
    rows('blocks', sql.blocks, ids),
    ...blockKinds.map((kind) => rows(kind, sql.blockItems(kind, integer), ids)),
  ]);
  return nestBlocks(pages, blocks, items);
};

/** The row itself is changed: a copy would be one more object for nothing. */
export const articleToWire = (row: Row | undefined): Row => {
  if (row === undefined) throw new Error('no such row');
  row.featured = row.featured === 1;
  row.published_at = (row.published_at as string).replace(' ', 'T');
  return row;
};

/** Puts comments into their articles, whose keys are in order. */
export const nestComments = (ids: readonly number[], comments: readonly Row[]): Row[] => {
  const lists = new Map<unknown, Row[]>(ids.map((id) => [id, []]));
  for (const { article_id: article, id, author_name: author, created_at: created } of comments) {
    const made = (created as string).replace(' ', 'T');
    lists.get(article)?.push({ id, author_name: author, created_at: made });
  }
  return ids.map((id) => ({ id, comments: lists.get(id) }));
};

export const nestTags = (parents: readonly Row[], children: readonly Row[]): Row[] => {
  const lists = new Map<unknown, Row[]>(parents.map((row) => [row.id, []]));
  for (const child of children) {
    lists.get(child.article_id)?.push({ tag_id: { id: child.id, name: child.name } });
  }
  return parents.map((row) => ({
    id: row.id,
    title: row.title,
    author_id: { id: row.author_id, name: row.author_name },
    article_tags: lists.get(row.id),
  }));
};

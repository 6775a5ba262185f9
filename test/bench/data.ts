/**
 * The data every shape is measured on: the same bytes on every machine, as SQL text that both databases read.
 * Sizes: 100 000 articles, 1 000 authors, 200 tags, about 300 000 article_tags, 300 000 skewed comments.
 */
import type { BenchDialect, Recipe } from './databases.js';

export const counts = { articles: 100_000, authors: 1_000, tags: 200, comments: 300_000 } as const;

export const statuses = ['archived', 'draft', 'published', 'review'] as const;

/** The ten fields of an article and of a draft, in table order. */
export const articleFields = [
  'id',
  'title',
  'slug',
  'status',
  'views',
  'rating',
  'featured',
  'published_at',
  'author_id',
  'body',
] as const;

/** Articles that own 50 000 comments each: what shows whether a per-parent limit is a real one. */
const crowdedArticles = [1_000, 25_000, 50_000, 99_000] as const;

const commentsOfCrowded = 50_000;
const rowsPerInsert = 1_000;

export const articlesRecipe: Recipe = {
  name: 'bench',
  module: import.meta.url,
  statements: (dialect) => dataStatements(dialect),
};

/** The whole database, in an order that satisfies every foreign key. */
function* dataStatements(dialect: BenchDialect): Generator<string> {
  yield* schemaStatements(dialect);
  yield* inserts('authors', authorRows());
  yield* inserts('tags', tagRows());
  yield* inserts('articles', articleRows());
  yield* inserts('article_tags', articleTagRows());
  yield* inserts('comments', commentRows());
}

const mysqlTypes = {
  key: 'INT NOT NULL AUTO_INCREMENT PRIMARY KEY',
  boolean: 'TINYINT(1)',
  dateTime: 'DATETIME',
  tail: ' ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci',
} as const;

const types = {
  mariadb: mysqlTypes,
  mysql: mysqlTypes,
  sqlite: {
    key: 'INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT',
    boolean: 'BOOLEAN',
    dateTime: 'DATETIME',
    tail: '',
  },
} as const;

const schemaStatements = (dialect: BenchDialect): string[] => {
  const { key, boolean, dateTime, tail } = types[dialect];
  const articleColumns = `id ${key},
  title VARCHAR(120) NOT NULL,
  slug VARCHAR(140) NOT NULL,
  status VARCHAR(16) NOT NULL,
  views INT NOT NULL,
  rating DECIMAL(6,2) NOT NULL,
  featured ${boolean} NOT NULL,
  published_at ${dateTime} NOT NULL,
  author_id INT NOT NULL,
  body TEXT NOT NULL`;
  const table = (name: string, body: string): string => `CREATE TABLE ${name} (\n  ${body}\n)${tail}`;
  return [
    table('authors', `id ${key},\n  name VARCHAR(80) NOT NULL,\n  email VARCHAR(120) NOT NULL`),
    table('tags', `id ${key},\n  name VARCHAR(60) NOT NULL`),
    table(
      'articles',
      `${articleColumns},
  CONSTRAINT articles_author FOREIGN KEY (author_id) REFERENCES authors (id)`,
    ),
    'CREATE UNIQUE INDEX articles_slug ON articles (slug)',
    'CREATE INDEX articles_page ON articles (status, published_at, id)',
    ...(dialect === 'sqlite' ? ['CREATE INDEX articles_author ON articles (author_id)'] : []),
    table(
      'drafts',
      `${articleColumns},
  CONSTRAINT drafts_author FOREIGN KEY (author_id) REFERENCES authors (id)`,
    ),
    'CREATE UNIQUE INDEX drafts_slug ON drafts (slug)',
    table(
      'article_tags',
      `id ${key},
  article_id INT NOT NULL,
  tag_id INT NOT NULL,
  CONSTRAINT article_tags_article FOREIGN KEY (article_id) REFERENCES articles (id),
  CONSTRAINT article_tags_tag FOREIGN KEY (tag_id) REFERENCES tags (id)`,
    ),
    'CREATE UNIQUE INDEX article_tags_pair ON article_tags (article_id, tag_id)',
    table(
      'comments',
      `id ${key},
  article_id INT NOT NULL,
  author_name VARCHAR(80) NOT NULL,
  created_at ${dateTime} NOT NULL,
  body VARCHAR(200) NOT NULL,
  CONSTRAINT comments_article FOREIGN KEY (article_id) REFERENCES articles (id)`,
    ),
    'CREATE INDEX comments_newest ON comments (article_id, created_at, id)',
  ];
};

type Value = string | number;

function* inserts(table: string, rows: Iterable<readonly Value[]>): Generator<string> {
  let batch: string[] = [];
  for (const row of rows) {
    batch.push(`(${row.map(literal).join(',')})`);
    if (batch.length === rowsPerInsert) {
      yield `INSERT INTO ${table} VALUES ${batch.join(',')}`;
      batch = [];
    }
  }
  if (batch.length > 0) yield `INSERT INTO ${table} VALUES ${batch.join(',')}`;
}

/** The text never holds a backslash, so that one spelling suits every database. */
const literal = (value: Value): string =>
  typeof value === 'number' ? String(value) : `'${value.replaceAll("'", "''")}'`;

function* authorRows(): Generator<Value[]> {
  const random = createRandom(1);
  for (let id = 1; id <= counts.authors; id++) {
    const name = `${capitalise(pick(random, givenNames))} ${capitalise(pick(random, words))}`;
    yield [id, name, `author${id}@example.org`];
  }
}

function* tagRows(): Generator<Value[]> {
  for (let id = 1; id <= counts.tags; id++) yield [id, `${words[id % words.length] ?? ''} ${id}`];
}

function* articleRows(): Generator<Value[]> {
  const random = createRandom(2);
  for (let id = 1; id <= counts.articles; id++) yield [id, ...articleValues(random, String(id))];
}

/** The nine fields after the key; `suffix` makes the slug unique. */
export const articleValues = (random: Random, suffix: string): Value[] => {
  const title = `${capitalise(sentence(random, 4))} ${suffix}`;
  return [
    title,
    title.toLowerCase().replaceAll(' ', '-'),
    pick(random, statuses),
    random(100_000),
    (random(100_000) / 100).toFixed(2),
    random(2),
    dateTimeText(random),
    1 + random(counts.authors),
    bodyText(random),
  ];
};

function* articleTagRows(): Generator<Value[]> {
  const random = createRandom(3);
  const fanOut = [3, 1, 5, 2, 4, 0, 6];
  let id = 0;
  for (let article = 1; article <= counts.articles; article++) {
    const first = random(counts.tags);
    const step = 1 + random(30);
    const count = fanOut[article % fanOut.length] ?? 0;
    for (let index = 0; index < count; index++) {
      yield [++id, article, 1 + ((first + index * step) % counts.tags)];
    }
  }
}

function* commentRows(): Generator<Value[]> {
  const random = createRandom(4);
  const crowded = commentsOfCrowded * crowdedArticles.length;
  for (let id = 1; id <= counts.comments; id++) {
    const article =
      id <= crowded
        ? (crowdedArticles[id % crowdedArticles.length] ?? 1)
        : 1 + Math.floor((random(counts.articles) * random(counts.articles)) / counts.articles);
    yield [id, article, pick(random, givenNames), dateTimeText(random), sentence(random, 8)];
  }
}

/** About 450 bytes; one in eight carries quotes, a line break and letters outside ASCII. */
const bodyText = (random: Random): string => {
  let text = capitalise(sentence(random, 6));
  while (text.length < 430) text += `. ${capitalise(sentence(random, 5 + random(5)))}`;
  return random(8) === 0 ? `${text}.\n"Ça va?", said the café's owner.` : `${text}.`;
};

const dateTimeText = (random: Random): string =>
  new Date(Date.UTC(2020, 0, 1) + random(150_000_000) * 1_000).toISOString().slice(0, 19).replace('T', ' ');

const sentence = (random: Random, length: number): string =>
  Array.from({ length }, () => pick(random, words)).join(' ');

const pick = <Item>(random: Random, items: readonly Item[]): Item => items[random(items.length)] as Item;

const capitalise = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** Integers from 0 up to, not including, `limit`. */
export type Random = (limit: number) => number;

/** The same numbers for the same seed everywhere (mulberry32). */
export const createRandom = (seed: number): Random => {
  let state = seed >>> 0;
  return (limit) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  };
};

const givenNames = ['ada', 'björn', 'chen', 'dina', 'emre', 'fatou', 'gina', 'hugo', 'inês', 'jonas'];

const words = (
  'amber anchor basil bridge candle cedar cliff cloud copper coral cotton daisy dawn delta ember falcon fern ' +
  'field flint forest garden glass grain harbor hazel hill honey island ivory jade juniper kettle lake lantern ' +
  'leaf lemon linen maple marble meadow mint moon moss oak ocean olive orchard otter paper pearl pepper pine ' +
  'plum pond quartz quiet rain raven reed ridge river robin rose saddle sage salt sand shell silver sky slate ' +
  'snow sparrow spring stone storm summer thistle timber valley velvet violet walnut water willow winter'
).split(' ');

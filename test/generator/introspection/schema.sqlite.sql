CREATE TABLE author (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name VARCHAR(80) NOT NULL,
  -- a comment, with a comma and a (parenthesis
  email VARCHAR(120) CONSTRAINT author_email_unique UNIQUE,
  display_name TEXT GENERATED ALWAYS AS (name || ' (' || upper(email) || ')') VIRTUAL,
  name_length INTEGER AS (length(name)) STORED
);
CREATE TABLE shelf (
  room VARCHAR(20),
  number INTEGER,
  label TEXT,
  PRIMARY KEY (number, room)
) WITHOUT ROWID;
CREATE TABLE book (
  id INTEGER PRIMARY KEY,
  title VARCHAR(160) NOT NULL,
  isbn CHAR(13) UNIQUE,
  author INTEGER NOT NULL CONSTRAINT book_author REFERENCES author (id) ON DELETE CASCADE ON UPDATE SET NULL,
  room VARCHAR(20),
  shelf INTEGER,
  sequel_of INTEGER REFERENCES book,
  CONSTRAINT book_author_title UNIQUE (author, title),
  CONSTRAINT book_shelf FOREIGN KEY (shelf, room) REFERENCES Shelf (Number, ROOM) ON UPDATE RESTRICT
);
CREATE INDEX book_place ON book (room, shelf);
CREATE UNIQUE INDEX book_sequel ON book (sequel_of);
CREATE INDEX book_lower_title ON book (lower(title) DESC, "id");
CREATE UNIQUE INDEX book_first ON book (title) WHERE sequel_of IS NULL;
CREATE TABLE loan (book INTEGER, lent DATE);
CREATE TABLE measure (id INTEGER PRIMARY KEY DESC, value REAL NOT NULL) STRICT;
CREATE TABLE page (book INT, number INT, CONSTRAINT page_key PRIMARY KEY (book, number), FOREIGN KEY (book) REFERENCES gone (id));
CREATE VIEW book_title AS SELECT id, title, upper(title) AS shouted FROM book;
CREATE VIEW broken AS SELECT id FROM gone;
CREATE VIRTUAL TABLE note USING fts5 (body);

CREATE TABLE "order" (
  "select" INTEGER PRIMARY KEY,
  "with space" TEXT,
  [dot.ted] TEXT,
  `quo"te` TEXT,
  "UPPER" TEXT UNIQUE,
  "größe" TEXT,
  "🐘" TEXT,
  "__proto__" TEXT,
  "a2345678901234567890123456789012345678901234567890123456789_64xy" TEXT
);
CREATE TABLE "Größe ""🐘"".x" (id INTEGER PRIMARY KEY, "order" INTEGER REFERENCES "order");
CREATE TABLE "t2345678901234567890123456789012345678901234567890123456789_64xy" (id INTEGER PRIMARY KEY);
CREATE TABLE "__proto__" ("constructor" INTEGER PRIMARY KEY);

CREATE TABLE svc_collections (collection VARCHAR(64) PRIMARY KEY, hidden BOOLEAN NOT NULL DEFAULT 0, translations JSON, sort INTEGER);
CREATE TABLE svc_fields (id INTEGER PRIMARY KEY, collection VARCHAR(64), field VARCHAR(64), special TEXT, "group" TEXT, options JSON, required BOOLEAN);
CREATE TABLE svc_relations (id INTEGER PRIMARY KEY, many_collection VARCHAR(64), many_field VARCHAR(64), one_collection VARCHAR(64));

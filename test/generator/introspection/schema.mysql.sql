CREATE TABLE author (
  id INT AUTO_INCREMENT PRIMARY KEY COMMENT 'counts',
  name VARCHAR(80) NOT NULL,
  email VARCHAR(120),
  display_name VARCHAR(210) GENERATED ALWAYS AS (concat(name, ' (', email, ')')) VIRTUAL,
  name_length INT AS (char_length(name)) STORED,
  CONSTRAINT author_email_unique UNIQUE (email)
) COMMENT 'People who''write "books" größe';
CREATE TABLE shelf (
  room VARCHAR(20),
  number INT,
  label TEXT,
  PRIMARY KEY (number, room)
);
CREATE TABLE book (
  id INT NOT NULL AUTO_INCREMENT,
  title VARCHAR(160) NOT NULL,
  isbn CHAR(13),
  author INT,
  room VARCHAR(20),
  shelf INT,
  sequel_of INT,
  PRIMARY KEY (id),
  UNIQUE KEY book_isbn_unique (isbn),
  UNIQUE KEY book_sequel (sequel_of),
  CONSTRAINT book_author_title UNIQUE (author, title),
  KEY book_place (room, shelf),
  KEY book_start (title(10), id),
  UNIQUE KEY book_first (title(20)),
  FULLTEXT KEY book_words (title),
  CONSTRAINT book_author FOREIGN KEY (author) REFERENCES author (ID) ON DELETE CASCADE ON UPDATE SET NULL,
  CONSTRAINT book_shelf FOREIGN KEY (shelf, room) REFERENCES shelf (number, room) ON UPDATE RESTRICT ON DELETE NO ACTION,
  CONSTRAINT book_sequel_of_foreign FOREIGN KEY (sequel_of) REFERENCES book (id)
);
CREATE TABLE loan (book INT, lent DATE);
CREATE TABLE visit (
  seen DATETIME DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP,
  guest VARCHAR(20) INVISIBLE,
  note TEXT DEFAULT ('größe'),
  UNIQUE KEY visit_guest ((lower(guest))),
  KEY visit_day ((concat(guest, '€')), seen DESC)
);
CREATE VIEW book_title AS SELECT id, title, upper(title) AS shouted FROM book;
CREATE TABLE gone (id INT);
CREATE VIEW broken AS SELECT id FROM gone;
DROP TABLE gone;

CREATE TABLE `order` (
  `select` INT PRIMARY KEY,
  `with space` TEXT,
  `dot.ted` TEXT,
  `quo"te` TEXT,
  `tick``` TEXT,
  `UPPER` VARCHAR(10),
  `größe` JSON,
  `__proto__` TEXT,
  `a2345678901234567890123456789012345678901234567890123456789_64xy` TEXT,
  CONSTRAINT `order_UPPER_unique` UNIQUE (`UPPER`)
);
CREATE TABLE `Größe "x"` (
  id INT PRIMARY KEY,
  `order` INT,
  CONSTRAINT `c2345678901234567890123456789012345678901234567890123456789_64xy` FOREIGN KEY (`order`) REFERENCES `order` (`select`)
);
CREATE TABLE `t2345678901234567890123456789012345678901234567890123456789_64xy` (id INT PRIMARY KEY);
CREATE TABLE `__proto__` (`constructor` INT PRIMARY KEY);

CREATE TABLE svc_collections (collection VARCHAR(64) PRIMARY KEY, hidden BOOLEAN NOT NULL DEFAULT 0, translations JSON, sort INT);
CREATE TABLE svc_fields (id INT AUTO_INCREMENT PRIMARY KEY, collection VARCHAR(64), field VARCHAR(64), special TEXT, `group` TEXT, options JSON, required BOOLEAN);
CREATE TABLE svc_relations (id INT AUTO_INCREMENT PRIMARY KEY, many_collection VARCHAR(64), many_field VARCHAR(64), one_collection VARCHAR(64));

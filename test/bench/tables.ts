/** Databases of any number of tables that point at each other: what introspection and generation are timed on. */
import type { BenchDialect, Recipe } from './databases.js';

/** A database of `count` tables with ten columns, two foreign keys and two indexes each, and one row. */
export const tablesRecipe = (count: number): Recipe => ({
  name: `tables_${count}`,
  module: import.meta.url,
  statements: (dialect) => tableStatements(dialect, count),
});

export const tableName = (index: number): string => `entity_${String(index).padStart(4, '0')}`;

function* tableStatements(dialect: BenchDialect, count: number): Generator<string> {
  for (let index = 1; index <= count; index += 1) yield* oneTable(dialect, index);
}

const keys = {
  mariadb: 'INT NOT NULL AUTO_INCREMENT PRIMARY KEY',
  mysql: 'INT NOT NULL AUTO_INCREMENT PRIMARY KEY',
  sqlite: 'INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT',
} as const;

const oneTable = (dialect: BenchDialect, index: number): string[] => {
  const name = tableName(index);
  const parent = tableName(Math.max(1, index - 1));
  const owner = tableName(1 + (((index * index) % 97) % index));
  return [
    `CREATE TABLE ${name} (
  id ${keys[dialect]},
  name VARCHAR(120) NOT NULL,
  code VARCHAR(40) NOT NULL UNIQUE,
  amount DECIMAL(12,2) NOT NULL DEFAULT 0,
  active BOOLEAN NOT NULL DEFAULT 1,
  created_at DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP,
  due_on DATE,
  note TEXT,
  parent_id INT,
  owner_id INT,
  CONSTRAINT ${name}_parent FOREIGN KEY (parent_id) REFERENCES ${parent} (id),
  CONSTRAINT ${name}_owner FOREIGN KEY (owner_id) REFERENCES ${owner} (id)
)`,
    `CREATE INDEX ${name}_name ON ${name} (name)`,
    `CREATE INDEX ${name}_due ON ${name} (active, due_on)`,
    `INSERT INTO ${name} (name, code) VALUES ('first', 'first')`,
  ];
};

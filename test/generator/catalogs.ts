/**
 * Catalogs and specs made by hand, for tests of the model: only what differs from a plain column has to be said.
 * Of the package's own tables they contain a few, since models of all of them take a hundred times as long.
 */
import { readFileSync } from 'node:fs';
import type {
  Catalog,
  Column,
  ColumnType,
  ForeignKey,
  Meta,
  Table,
} from '../../generator/introspection/catalog.js';
import { SpecError } from '../../generator/spec/faults.js';
import type { ColumnSpec, Spec, SpecFault } from '../../generator/spec/types.js';
import { validateSpec, type SpecFile } from '../../generator/spec/validate.js';
import { parseYaml } from '../../generator/spec/yaml.js';

type ColumnOptions = Partial<Omit<Column, 'name' | 'type'>>;

export type ColumnSketch = Omit<Column, 'name'>;

const sketch = (dbType: string, type: ColumnType, options: ColumnOptions = {}): ColumnSketch => ({
  dbType,
  type,
  nullable: false,
  default: null,
  autoIncrement: false,
  generated: null,
  comment: null,
  ...options,
});

export const integer = (options?: ColumnOptions): ColumnSketch =>
  sketch('int(11)', { kind: 'integer', bits: 32, signed: true }, options);

/** A key that the database counts. */
export const counter = (): ColumnSketch => integer({ autoIncrement: true });

export const string = (length = 255, options?: ColumnOptions): ColumnSketch =>
  sketch(`varchar(${length})`, { kind: 'string', length }, options);

export const ofType = (type: ColumnType, options?: ColumnOptions): ColumnSketch =>
  sketch(type.kind, type, options);

interface TableOptions extends Partial<Omit<Table, 'name' | 'columns' | 'primaryKey'>> {
  /** The first column where absent. */
  readonly primaryKey?: readonly string[] | null;
}

const named = (name: string, rest: ColumnSketch): Column => ({ name, ...rest });

export const table = (
  name: string,
  columns: Readonly<Record<string, ColumnSketch>>,
  options: TableOptions = {},
): Table => ({
  name,
  kind: 'table',
  comment: null,
  columns: Object.entries(columns).map(([column, rest]) => named(column, rest)),
  primaryKey: Object.keys(columns).slice(0, 1),
  uniques: [],
  foreignKeys: [],
  indexes: [],
  ...options,
});

/** `key(['artist'], 'artists', ['id'])`, named after table and columns. */
export const key = (
  columns: readonly string[],
  target: string,
  references: readonly string[] = ['id'],
  name = `${columns.join('_')}_foreign`,
): ForeignKey => ({ name, columns, table: target, references, onUpdate: 'no action', onDelete: 'no action' });

/** @param system tables of the package; a few where absent */
export const catalog = (
  tables: readonly Table[],
  meta: Partial<Meta> = {},
  system: readonly Table[] = systemTables,
): Catalog => ({
  vendor: 'sqlite',
  dialect: 'sqlite',
  tables: [...tables, ...system].sort((a, b) => (a.name < b.name ? -1 : 1)),
  meta: { collections: [], fields: [], relations: [], ...meta },
});

const readFile = (path: string, text: string, own: boolean): SpecFile[] => {
  const node = parseYaml(text, `spec/${path}`, []);
  return node === null ? [] : [{ path, own, node }];
};

const systemFiles = ['access', 'attempts', 'permissions', 'policies', 'roles', 'sessions', 'users'].flatMap(
  (name) => {
    const path = `collections/svc_${name}.yaml`;
    return readFile(path, readFileSync(new URL(`../../spec/${path}`, import.meta.url), 'utf8'), true);
  },
);

/**
 * A few of the package's files with a team's: path below `spec/` to text.
 * @throws SpecError
 */
export const specWith = (files: Readonly<Record<string, string>> = {}): Spec => {
  const faults: SpecFault[] = [];
  const team = Object.entries(files).flatMap(([path, text]) => readFile(path, text, false));
  const spec = validateSpec([...systemFiles, ...team], faults);
  if (faults.length > 0) throw new SpecError(faults);
  return spec;
};

/** A few of the package's files. */
export const smallSpec = specWith();

const systemTypes: Readonly<Record<ColumnSpec['type'], ColumnSketch>> = {
  uuid: string(36),
  string: string(255),
  text: ofType({ kind: 'text', length: null }),
  integer: integer(),
  bigInteger: ofType({ kind: 'integer', bits: 64, signed: true }),
  boolean: ofType({ kind: 'boolean' }),
  json: ofType({ kind: 'text', length: null }),
  csv: ofType({ kind: 'text', length: null }),
  timestamp: ofType({ kind: 'timestamp', fraction: 0 }),
};

const systemColumn = (column: ColumnSpec): ColumnSketch => ({
  ...systemTypes[column.type],
  nullable: column.nullable,
  autoIncrement: column.autoIncrement ?? false,
  default: column.default === undefined ? null : { kind: 'literal', value: String(column.default) },
});

/** Returns the tables of a spec as `svc bootstrap` leaves them. */
export const systemTablesOf = ({ collections }: Spec): readonly Table[] =>
  [...collections.values()].map(({ collection, columns }) => {
    const declared = [...(columns ?? [])];
    return table(
      collection,
      Object.fromEntries(declared.map(([name, column]) => [name, systemColumn(column)])),
      {
        foreignKeys: declared.flatMap(([name, { references }]) =>
          references === undefined ? [] : [key([name], references.table, [references.column])],
        ),
      },
    );
  });

export const systemTables = systemTablesOf(smallSpec);

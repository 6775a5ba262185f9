/** The model: everything that an emitter needs, built once from catalog and spec. Plain data without functions. */
import type { FieldShape } from '../../contract/field-shapes.js';
import type { FieldType } from '../../contract/field-types.js';
import type { QueueModelDeclaration } from '../../contract/queue-model.js';
import type { Catalog } from '../introspection/catalog.js';
import type { PartCache } from '../part-cache.js';

export type { FieldType } from '../../contract/field-types.js';
export type { QueueRunner } from '../../contract/queue-model.js';

export interface Model {
  readonly api: Api;
  /** True where inserts return no row, so that keys which the database makes are asked for before. */
  readonly keysBeforeInsert: boolean;
  /** The catalog that the model was built from; emitted unchanged. */
  readonly catalog: Catalog;
  /** Sorted by name. */
  readonly collections: readonly Collection[];
  /** All system tables, including internal ones; sorted by name. */
  readonly systemTables: readonly SystemTable[];
  /** Sorted by id. */
  readonly operations: readonly Operation[];
  /** True where the output is the package's own, which lists the routes of every project and is imported by the runtime. */
  readonly forPackage: boolean;
  /** Schemas of operations that have a name in generated code, sorted by name. */
  readonly operationTypes: readonly NamedSchema[];
  readonly errors: readonly ErrorEntry[];
  /** Sorted by id. */
  readonly queueModels: readonly QueueModel[];
}

export interface Api {
  readonly title: string;
  readonly version: string;
  readonly description: string;
}

export interface Collection {
  /** The table's name, unchanged; the name in every API. */
  readonly name: string;
  readonly kind: 'table' | 'view';
  /** True where svc declares the table (`svc_…`). */
  readonly system: boolean;
  /** Path in REST: `/items/Album`, `/users`; `null` where it is not served over REST. */
  readonly path: string | null;
  /** True where only svc writes it. */
  readonly readonly: boolean;
  /** True where it defines access: the rules in its items are checked when they are written. */
  readonly access: boolean;
  /** Writes that are recorded as activity; `all` records the changed fields too. */
  readonly activity: 'all' | 'activity' | null;
  readonly note: string | null;
  readonly singleton: boolean;
  /** True where triggers or rules of the database may run when an item is created. */
  readonly triggers: boolean;
  /** Field by which lists are sorted by default. */
  readonly sortField: string | null;
  /** Field names of the primary key; empty for views and keyless tables. */
  readonly key: readonly string[];
  /** Fields, in the order of the table. */
  readonly fields: readonly Field[];
  /** Sorted by name. */
  readonly relations: readonly Relation[];
  readonly uniques: readonly { readonly name: string; readonly fields: readonly string[] }[];
  readonly names: CollectionNames;
  /** Content hash of this collection and its dependencies. */
  readonly hash: string;
}

/** A table that `svc bootstrap` creates, on every database the same. */
export interface SystemTable {
  readonly name: string;
  /** TypeScript type of a row: `SvcUsersRow`. */
  readonly rowName: string;
  /** Columns, in the order of their declaration. */
  readonly columns: readonly SystemColumn[];
}

export interface SystemColumn {
  readonly name: string;
  /** Type of a value that a statement returns: booleans are 1 and 0, integers are exact up to 2^53. */
  readonly type: 'string' | 'number' | 'boolean';
  readonly nullable: boolean;
  /** True where an insert may omit it. */
  readonly optional: boolean;
}

/** Names of a collection in generated code, derived once, by `model/naming`. */
export interface CollectionNames {
  /** File stem, kebab-case: `invoice-line`. */
  readonly file: string;
  /** TypeScript class and row type: `InvoiceLine`. */
  readonly type: string;
  /** TypeScript constant: `invoiceLine`. */
  readonly variable: string;
  /** GraphQL type and stem of root fields: the name itself where it is valid in GraphQL. */
  readonly graphql: string;
}

/** The type of an array's elements; `unknown` where only the database parses them. */
export interface FieldElement extends FieldShape {
  readonly type: FieldType;
}

export interface Field extends FieldShape {
  /** The column's name, unchanged. */
  readonly name: string;
  /** The name in GraphQL. */
  readonly graphql: string;
  readonly type: FieldType;
  /** Type of the elements of an array; `null` for other columns. */
  readonly element: FieldElement | null;
  readonly dbType: string;
  /** The database type where SQL has to know it: it is treated unlike the field's type, or that is unknown; otherwise `null`. */
  readonly sqlType: string | null;
  readonly nullable: boolean;
  /** True where create requires a value: not nullable, no default, and not filled by the database or the server. */
  readonly required: boolean;
  /** True where the database or server sets a value where the client sends none. */
  readonly hasDefault: boolean;
  /** Literal default in its wire form, for documentation. */
  readonly defaultValue: string | number | boolean | null;
  /** The default as SQL, where it is not a literal. */
  readonly defaultSql: string | null;
  readonly primaryKey: boolean;
  readonly autoIncrement: boolean;
  /** True where the database computes it; such a field is never written. */
  readonly generated: boolean;
  /** Meta `readonly`: only administrators may write it. */
  readonly readonly: boolean;
  /** Collation of a text whose character set lacks some characters. */
  readonly collation: string | null;
  readonly conceal: boolean;
  readonly hash: boolean;
  /** True where it is a static token, which the server may store as a hash. */
  readonly token: boolean;
  /** True where texts are stored in lower case. */
  readonly lowerCase: boolean;
  /** Value set by the server. */
  readonly fill: 'uuid' | 'user-created' | 'user-updated' | 'date-created' | 'date-updated' | null;
  readonly validation: Readonly<Record<string, unknown>> | null;
  readonly validationMessage: string | null;
  readonly validationType: string | null;
  readonly note: string | null;
}

export type Relation = ManyToOne | OneToMany | ManyToAny;

interface RelationBase {
  /** The name in the API; for a many-to-one relation, that of its column where possible. */
  readonly name: string;
  readonly graphql: string;
  /** Property of the Objection model; differs from every field and every other relation. */
  readonly property: string;
  /** True where meta declares it, rather than only a foreign key; lists declared in meta are part of `*`. */
  readonly meta: boolean;
}

export interface ManyToOne extends RelationBase {
  readonly kind: 'manyToOne';
  readonly target: string;
  /** The collection's own fields, in the order of `targetFields`. */
  readonly fields: readonly string[];
  readonly targetFields: readonly string[];
  /** True where a foreign key of the database backs the relation. */
  readonly constrained: boolean;
}

/**
 * A to-many relation. With `junctionField` it is many-to-many: the target is the junction and `junctionField`
 * its other many-to-one relation.
 */
export interface OneToMany extends RelationBase {
  readonly kind: 'oneToMany';
  readonly target: string;
  /** The collection's own fields, in the order of `targetFields`, which are the foreign key in the target. */
  readonly fields: readonly string[];
  readonly targetFields: readonly string[];
  readonly junctionField: string | null;
  readonly sortField: string | null;
  readonly deselect: 'nullify' | 'delete';
  /** True where the items can be written through their owner: they have keys, and not only svc writes them. */
  readonly written: boolean;
}

/**
 * A many-to-any relation of a junction: `field` contains a key, `collectionField` the name of its collection.
 */
export interface ManyToAny extends RelationBase {
  readonly kind: 'manyToAny';
  readonly field: string;
  readonly collectionField: string;
  readonly targets: readonly string[];
}

/** A JSON Schema with a name in generated code. */
export interface NamedSchema {
  readonly name: string;
  readonly schema: JsonSchema;
}

/**
 * An operation other than CRUD. One entry becomes a REST path, a GraphQL field and a method that implements
 * both.
 */
export interface Operation {
  /** `serverPing`: the method name of the Operations interface. */
  readonly id: string;
  readonly summary: string;
  readonly tag: string;
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  readonly path: string;
  /**
   * `open`: authentication is ignored. `public`: no token is required, but one that is sent must be valid.
   */
  readonly access: 'open' | 'public' | 'user' | 'operator' | 'admin';
  /** True where requests with an invalid session cookie are served as anonymous. */
  readonly withoutSession: boolean;
  /** True where users are served who have not set up the one-time passwords that a policy requires. */
  readonly beforeSecondFactor: boolean;
  /** True where anonymous callers get 401 instead of 403, because clients start a login by it. */
  readonly startsLogin: boolean;
  /** True where it runs beside the bounded queue of requests that wait for the database. */
  readonly withoutAdmission: boolean;
  /** True where keys of the queue are accepted as well as tokens. */
  readonly acceptsKey: boolean;
  /** True where the body may also be a JSON or YAML file of a form. */
  readonly upload: boolean;
  /** Describes the file of a form that is the body; `null`: there is none. */
  readonly file: string | null;
  readonly parameters: readonly OperationParameter[];
  /** JSON Schema of the request body. An empty body counts as `{}`. */
  readonly body: JsonSchema | null;
  /** The field in GraphQL; `null` for REST only. */
  readonly graphql: OperationField | null;
  /** True where it comes from the package's own spec, unchanged by a team's; every project serves it. */
  readonly own: boolean;
  /** True where svc has a handler for it; a team's own application serves the others. */
  readonly served: boolean;
  readonly responses: readonly OperationResponse[];
  readonly errors: readonly string[];
}

/** A root field: exactly one of `query` and `mutation`. */
export interface OperationField {
  readonly query?: string;
  readonly mutation?: string;
  /** The collection of which the field returns the caller's own items, with the selected fields. */
  readonly own?: string;
}

export interface OperationParameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly description: string;
  readonly schema: JsonSchema;
}

export interface OperationResponse {
  readonly status: number;
  readonly description: string;
  readonly contentType: string | null;
  readonly schema: JsonSchema | null;
  /** Media types of files that a parameter asks for instead; as JSON, a file has no envelope. */
  readonly downloads?: readonly string[];
}

/** A model of the queue: `/queue/<id>` and `/run/<id>`. */
export interface QueueModel extends QueueModelDeclaration {
  readonly description: string;
  readonly names: QueueModelNames;
}

export interface QueueModelNames {
  /** Prefix of the model's type names: `DemoImage`. */
  readonly type: string;
  /** File stem: `demo-image`. */
  readonly file: string;
}

export type JsonSchema = Readonly<Record<string, unknown>>;

export interface ErrorEntry {
  readonly code: string;
  readonly status: number;
  readonly message: string;
  readonly family: string;
  /** Keys of `extensions` in addition to `code`, with their descriptions. */
  readonly details: Readonly<Record<string, string>>;
}

/** A file of the output: a path relative to its folder, with `/`, and lines that end with `\n`. */
export interface OutputFile {
  readonly path: string;
  readonly content: string;
}

/** @param cache holds the parts of collections for the next run; without it, all are made */
export type Emitter = (model: Model, cache?: PartCache) => OutputFile[];

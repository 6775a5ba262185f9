/**
 * The model: everything an emitter may know. Built once from catalog and spec, plain data, no functions.
 * Whoever has read this file can write an emitter.
 */
import type { FieldType } from '../../contract/field-types.js';
import type { QueueModelDeclaration } from '../../contract/queue-model.js';
import type { Catalog, Dialect } from '../introspection/catalog.js';

export type { FieldType } from '../../contract/field-types.js';
export type { QueueRunner } from '../../contract/queue-model.js';

export interface Model {
  readonly api: Api;
  readonly dialect: Dialect;
  /** What the model was built from; emitted as it is. */
  readonly catalog: Catalog;
  /** Sorted by name. */
  readonly collections: readonly Collection[];
  /** Tables that svc keeps, those that are no collections too; sorted by name. */
  readonly systemTables: readonly SystemTable[];
  /** Sorted by id. */
  readonly operations: readonly Operation[];
  /** Schemas of operations that have a name in generated code, sorted by it. */
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
  /** The table's name, verbatim: what every wire says. */
  readonly name: string;
  readonly kind: 'table' | 'view';
  /** Declared by svc itself (`svc_` tables). */
  readonly system: boolean;
  /** Where REST serves it: `/items/Album`, `/users`. `null`: not served over REST. */
  readonly path: string | null;
  /** Written by svc alone. */
  readonly readonly: boolean;
  /** Says who may do what: its items are written by themselves, never through the owner of a list. */
  readonly access: boolean;
  /** Which writes leave a row of activity: `all` names the fields as well. */
  readonly activity: 'all' | 'activity' | null;
  readonly note: string | null;
  readonly singleton: boolean;
  /** Default order of lists, a field name. */
  readonly sortField: string | null;
  /** Field names of the primary key; empty for views and keyless tables. */
  readonly key: readonly string[];
  /** In the order of the table. */
  readonly fields: readonly Field[];
  /** Sorted by name. */
  readonly relations: readonly Relation[];
  readonly uniques: readonly { readonly name: string; readonly fields: readonly string[] }[];
  readonly names: CollectionNames;
  /** Content hash of this collection and of what its output depends on. */
  readonly hash: string;
}

/** A table that `svc bootstrap` creates, on every database the same. */
export interface SystemTable {
  readonly name: string;
  /** TypeScript type of a row: `SvcUsersRow`. */
  readonly rowName: string;
  /** In the order of the declaration. */
  readonly columns: readonly SystemColumn[];
}

export interface SystemColumn {
  readonly name: string;
  /** How statements return it; booleans as 1 and 0, whole numbers exact up to 2^53. */
  readonly type: 'string' | 'number' | 'boolean';
  readonly nullable: boolean;
  /** An insert may leave it out. */
  readonly optional: boolean;
}

/** Spelled once, in `model/naming`. */
export interface CollectionNames {
  /** File stem, kebab-case: `invoice-line`. */
  readonly file: string;
  /** TypeScript class and row type: `InvoiceLine`. */
  readonly type: string;
  /** TypeScript constant: `invoiceLine`. */
  readonly variable: string;
  /** GraphQL type and root field stem: the name itself wherever GraphQL can spell it. */
  readonly graphql: string;
}

export interface Field {
  /** The column's name, verbatim. */
  readonly name: string;
  /** How GraphQL spells it. */
  readonly graphql: string;
  readonly type: FieldType;
  readonly dbType: string;
  readonly nullable: boolean;
  /** Must be given on create: not nullable, no default, not made by the database or the server. */
  readonly required: boolean;
  /** The database or server has a value when the client gives none. */
  readonly hasDefault: boolean;
  /** Literal default in its wire form, for documentation. */
  readonly defaultValue: string | number | boolean | null;
  /** The default as SQL, where it is no literal. */
  readonly defaultSql: string | null;
  readonly primaryKey: boolean;
  readonly autoIncrement: boolean;
  /** Computed by the database; never written. */
  readonly generated: boolean;
  /** Meta `readonly`: refused outside admin. */
  readonly readonly: boolean;
  /** Characters (string, text, csv), bytes (binary). */
  readonly length: number | null;
  readonly precision: number | null;
  readonly scale: number | null;
  /** Integer width in bits and sign. */
  readonly bits: number | null;
  readonly unsigned: boolean;
  /** Digits after the second. */
  readonly fraction: number | null;
  /** Enum values. */
  readonly values: readonly string[] | null;
  /** That of a text whose character set lacks some characters. */
  readonly collation: string | null;
  readonly conceal: boolean;
  readonly hash: boolean;
  /** Texts are stored in lower case. */
  readonly lowerCase: boolean;
  /** Value set by the server. */
  readonly fill: 'uuid' | 'user-created' | 'user-updated' | 'date-created' | 'date-updated' | null;
  readonly validation: Readonly<Record<string, unknown>> | null;
  readonly validationMessage: string | null;
  readonly note: string | null;
}

export type Relation = ManyToOne | OneToMany | ManyToAny;

interface RelationBase {
  /** The key clients use. For many-to-one the column's own name. */
  readonly name: string;
  readonly graphql: string;
  /** Property of the Objection model; never equal to a field or another relation. */
  readonly property: string;
  /** From meta rather than only from a foreign key; such lists are part of `*`. */
  readonly meta: boolean;
}

export interface ManyToOne extends RelationBase {
  readonly kind: 'manyToOne';
  readonly target: string;
  /** Own fields, in step with `targetFields`. */
  readonly fields: readonly string[];
  readonly targetFields: readonly string[];
}

/** With `junctionField`, a many-to-many: the target is the junction and `junctionField` its other many-to-one. */
export interface OneToMany extends RelationBase {
  readonly kind: 'oneToMany';
  readonly target: string;
  /** Own key fields, in step with `targetFields` (the foreign key in the target). */
  readonly fields: readonly string[];
  readonly targetFields: readonly string[];
  readonly junctionField: string | null;
  readonly sortField: string | null;
  readonly deselect: 'nullify' | 'delete';
  /** With their owner: the items have keys, and are not written by themselves alone. */
  readonly written: boolean;
}

/** On the junction: `field` holds a key, `collectionField` says of which collection. */
export interface ManyToAny extends RelationBase {
  readonly kind: 'manyToAny';
  readonly field: string;
  readonly collectionField: string;
  readonly targets: readonly string[];
}

/** A JSON Schema that generated code calls by a name. */
export interface NamedSchema {
  readonly name: string;
  readonly schema: JsonSchema;
}

/** Everything that is not plain CRUD: one entry becomes a REST path, later a GraphQL field, always one body. */
export interface Operation {
  /** `serverPing`: the method name of the Operations interface. */
  readonly id: string;
  readonly summary: string;
  readonly tag: string;
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  readonly path: string;
  /** `open`: nobody is asked who they are; `public`: nobody needs a token, but one that is sent has to be good. */
  readonly access: 'open' | 'public' | 'user' | 'admin';
  readonly parameters: readonly OperationParameter[];
  /** JSON Schema of the request body. A request without one counts as `{}`. */
  readonly body: JsonSchema | null;
  /** Its field in GraphQL; `null`: REST only. */
  readonly graphql: OperationField | null;
  readonly responses: readonly OperationResponse[];
  readonly errors: readonly string[];
}

/** A root field: exactly one of `query` and `mutation`. */
export interface OperationField {
  readonly query?: string;
  readonly mutation?: string;
  /** The collection whose items the field gives, those that are the caller's own: what is selected of them is planned. */
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
}

/** What the queue runs: `/queue/<id>` and `/run/<id>`. */
export interface QueueModel extends QueueModelDeclaration {
  readonly description: string;
  readonly names: QueueModelNames;
}

export interface QueueModelNames {
  /** `DemoImage`: begins the names of its types. */
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
  /** Keys of `extensions` beside `code`, with what they hold. */
  readonly details: Readonly<Record<string, string>>;
}

/** What an emitter returns; paths relative to the output folder, `/`-separated, `\n` line ends. */
export interface OutputFile {
  readonly path: string;
  readonly content: string;
}

export type Emitter = (model: Model) => OutputFile[];

/** Operations of the spec as generated code declares them, without path and handler. */

export type JsonSchema = Readonly<Record<string, unknown>>;

/**
 * Required authentication: `open` ignores credentials, `public` rejects invalid ones, `user`, `operator` and `admin`
 * require one; `operator` a policy with `operator_access`.
 */
export type OperationAccess = 'open' | 'public' | 'user' | 'operator' | 'admin';

export interface OperationDeclaration<Id extends string = string> {
  readonly id: Id;
  readonly access: OperationAccess;
  /** Serves requests whose session cookie is no longer valid; their caller counts as anonymous. */
  readonly withoutSession?: true;
  /** Serves users who have yet to turn on the one-time passwords that a policy requires. */
  readonly beforeSecondFactor?: true;
  /** Rejects anonymous callers with 401 instead of 403, because clients start a login by it. */
  readonly startsLogin?: true;
  /**
   * Runs beside the bounded queue of requests that wait for the database: it answers under every load, or waits for something
   * else, such as a lock, a hash, a provider or Temporal, and would keep the place of others meanwhile.
   */
  readonly withoutAdmission?: true;
  /** Serves keys of the queue as well, `Authorization: Key <id>:<secret>`. */
  readonly acceptsKey?: true;
  /** Takes the body also as a JSON or YAML file of a form, up to `SCHEMA_MAX_SIZE`. */
  readonly upload?: true;
  readonly parameters?: readonly OperationParameter[];
  readonly body?: JsonSchema;
  /** Content type by status; `null`: no body. */
  readonly responses: Readonly<Record<number, string | null>>;
}

export interface OperationParameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly schema: JsonSchema;
}

/** Stores idempotency keys and the requests they were used for (`svc_idempotency`). */
import { insertRows, listPlaceholders, type Statements } from '../../execute/system-rows.js';

export interface IdempotencyRecord {
  /** SHA-256 of the model, the input and the options that affect processing. */
  readonly fingerprint: string;
  readonly request: string;
}

export interface IdempotencyName {
  readonly account: string;
  /** SHA-256 of the header value. */
  readonly name: string;
}

/** The idempotency key of a new request, with the fingerprint of that request. */
export interface IdempotencyKey extends IdempotencyName {
  readonly fingerprint: string;
}

/** Returns the existing records by `lookupKeyOf` their names. */
export const findIdempotency = async (
  statements: Statements,
  names: readonly IdempotencyName[],
): Promise<Map<string, IdempotencyRecord>> => {
  if (names.length === 0) return new Map();
  const list = listPlaceholders(names);
  const rows = await statements.query(
    'select account, name, fingerprint, request from svc_idempotency where ' +
      list.values.map(() => '(account = ? and name = ?)').join(' or '),
    list.values.flatMap(({ account, name }) => [account, name]),
  );
  return new Map(
    rows.map((row) => [
      lookupKeyOf({ account: String(row.account), name: String(row.name) }),
      { fingerprint: String(row.fingerprint), request: String(row.request) },
    ]),
  );
};

/** Returns the text that distinguishes equal keys of different accounts; account ids contain no space. */
export const lookupKeyOf = ({ account, name }: IdempotencyName): string => `${account} ${name}`;

/** Inserts keys. @throws the violation of the database where an account has used a key before */
export const insertIdempotency = (
  statements: Statements,
  records: readonly (IdempotencyKey & IdempotencyRecord & { readonly created: number })[],
): Promise<void> =>
  insertRows(
    statements,
    'svc_idempotency',
    records.map(({ account, name, fingerprint, request, created }) => ({
      account,
      name,
      fingerprint,
      request,
      date_created: created,
    })),
  );

/** `svc_idempotency`: which request a key of a caller stands for. */
import { insertRows, listOf, type Statements } from '../../execute/system-rows.js';

export interface IdempotencyRecord {
  /** SHA-256 of model, input and everything that changes what is done with it. */
  readonly fingerprint: string;
  readonly request: string;
}

export interface IdempotencyName {
  readonly account: string;
  /** SHA-256 of the header. */
  readonly name: string;
}

/** A key as it comes with a request: what it is called, and what it stands for. */
export interface IdempotencyKey extends IdempotencyName {
  readonly fingerprint: string;
}

/** The records that are there, by `labelOf` their names. */
export const findIdempotency = async (
  statements: Statements,
  names: readonly IdempotencyName[],
): Promise<Map<string, IdempotencyRecord>> => {
  if (names.length === 0) return new Map();
  const list = listOf(names);
  const rows = await statements.query(
    'select account, name, fingerprint, request from svc_idempotency where ' +
      list.values.map(() => '(account = ? and name = ?)').join(' or '),
    list.values.flatMap(({ account, name }) => [account, name]),
  );
  return new Map(
    rows.map((row) => [
      labelOf({ account: String(row.account), name: String(row.name) }),
      { fingerprint: String(row.fingerprint), request: String(row.request) },
    ]),
  );
};

export const labelOf = ({ account, name }: IdempotencyName): string => `${account} ${name}`;

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

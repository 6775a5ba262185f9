/** `svc_idempotency`: which request a key of a caller stands for. */
import { insertRow, type Statements } from './rows.js';

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

export const findIdempotency = async (
  statements: Statements,
  { account, name }: IdempotencyName,
): Promise<IdempotencyRecord | null> => {
  const [row] = await statements.query(
    'select fingerprint, request from svc_idempotency where account = ? and name = ?',
    [account, name],
  );
  return row === undefined ? null : { fingerprint: String(row.fingerprint), request: String(row.request) };
};

export const insertIdempotency = (
  statements: Statements,
  { account, name, fingerprint, request, created }: IdempotencyName & IdempotencyRecord & { created: number },
): Promise<void> =>
  insertRow(statements, 'svc_idempotency', { account, name, fingerprint, request, date_created: created });

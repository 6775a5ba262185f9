/** Which errors of a driver mean that its server is away, and which that waiting is in vain. */
import { expect, it } from 'vitest';
import { folder as mysql } from '../../../runtime/databases/mysql/index.js';
import { isConnectionLoss as isMysqlLoss } from '../../../runtime/databases/mysql/errors.js';
import { folder as postgres } from '../../../runtime/databases/postgres/index.js';
import {
  addErrorCode,
  isConnectionLoss as isPostgresLoss,
} from '../../../runtime/databases/postgres/errors.js';
import { endsConnection } from '../../../runtime/databases/postgres/client-statements.js';
import { folder as sqlite } from '../../../runtime/databases/sqlite/index.js';
import { acknowledged, UnknownOutcome } from '../../../runtime/databases/unknown-outcome.js';

const withCode = (code: string, more: object = {}): Error => Object.assign(new Error(code), { code }, more);

it.each([
  ['ECONNREFUSED', true, true],
  ['ECONNRESET', true, true],
  ['ETIMEDOUT', true, true],
  ['EPIPE', true, true],
  ['ENOTFOUND', true, true],
  ['EAI_AGAIN', true, true],
  ['PROTOCOL_CONNECTION_LOST', true, false],
  ['ER_SERVER_SHUTDOWN', true, false],
  ['57P01', false, true],
  ['57P02', false, true],
  ['57P03', false, true],
  ['53300', false, true],
  ['23505', false, false],
  ['ER_DUP_ENTRY', false, false],
  ['ENOENT', false, false],
])('%s is a lost connection for MySQL: %s, for PostgreSQL: %s', (code, forMysql, forPostgres) => {
  expect(isMysqlLoss(withCode(code))).toBe(forMysql);
  expect(isPostgresLoss(withCode(code))).toBe(forPostgres);
});

it('a missing socket is a lost connection, a missing file is not', () => {
  const socket = withCode('ENOENT', { syscall: 'connect' });
  const file = withCode('ENOENT', { syscall: 'open' });
  for (const isLoss of [isMysqlLoss, isPostgresLoss]) {
    expect(isLoss(socket)).toBe(true);
    expect(isLoss(file)).toBe(false);
    expect(isLoss('ECONNREFUSED')).toBe(false);
    expect(isLoss(null)).toBe(false);
  }
});

it.each([
  ['ER_ACCESS_DENIED_ERROR', true, false],
  ['HANDSHAKE_SSL_ERROR', true, true],
  ['28P01', false, true],
  ['3D000', false, true],
  ['ECONNREFUSED', false, false],
  ['57P03', false, false],
])('%s is permanent for MySQL: %s, for PostgreSQL: %s', (code, forMysql, forPostgres) => {
  expect(mysql.isPermanent(withCode(code))).toBe(forMysql);
  expect(postgres.isPermanent(withCode(code))).toBe(forPostgres);
});

it('does not wait for a file', () => {
  expect(sqlite.isPermanent(withCode('SQLITE_CANTOPEN'))).toBe(true);
});

it.each([
  ['ECONNRESET', true],
  ['PROTOCOL_CONNECTION_LOST', true],
  ['ER_DUP_ENTRY', false],
  ['57P01', false],
])('after %s, whether a write was stored is unknown: %s', async (code, isUnknown) => {
  const failed = await acknowledged(() => Promise.reject(withCode(code))).catch((error: unknown) => error);
  expect(failed instanceof UnknownOutcome).toBe(isUnknown);
});

it.each([
  ['Connection terminated unexpectedly', 'ECONNRESET'],
  ['Client has encountered a connection error and is not queryable', 'ECONNRESET'],
  ['timeout expired', 'ETIMEDOUT'],
  ['The server does not support SSL connections', 'HANDSHAKE_SSL_ERROR'],
  ['something else', undefined],
])('"%s" of the driver has the code %s', (message, code) => {
  expect((addErrorCode(new Error(message)) as { code?: string }).code).toBe(code);
});

it('an error keeps its code, unless it is one of TLS', () => {
  expect(addErrorCode(withCode('57P01', { message: 'timeout expired' }))).toMatchObject({ code: '57P01' });
  expect(addErrorCode(withCode('SELF_SIGNED_CERT_IN_CHAIN'))).toMatchObject({ code: 'HANDSHAKE_SSL_ERROR' });
});

it.each([
  ['FATAL', '53300', true],
  ['PANIC', 'XX000', true],
  // in another language
  ['SCHWERWIEGEND', '57P01', true],
  ['ERROR', '57014', false],
  ['ERROR', '23505', false],
])('%s %s of PostgreSQL ends the connection: %s', (severity, code, ends) => {
  expect(endsConnection(withCode(code, { severity }))).toBe(ends);
});

/** Stores how far imports and exports are (`svc_transfers`), one row each, beside their request. */
import { findRow, findRows, insertRow, updateRows, type Statements } from '../../execute/system-rows.js';

/** The progress of an import or export. */
export interface TransferState {
  /** Byte of the file from which the next chunk is read. */
  readonly position: number;
  /** Number of lines before it. */
  readonly line: number;
  readonly done: number;
  readonly rejected: number;
  /** Number of files with rejected rows. */
  readonly reports: number;
  /** Percentage that is done. */
  readonly progress: number;
}

/** A run of a transfer; the one that took it last is the only one that can store a state. */
export interface TransferRun {
  readonly request: string;
  readonly run: string;
}

/** Milliseconds without a sign after which another process takes a transfer over. */
export const takeoverDelay = 30_000;

const start: TransferState = {
  position: 0,
  line: 0,
  done: 0,
  rejected: 0,
  reports: 0,
  progress: 0,
};

/** Takes a transfer, from whichever run had it, and returns how far it is. */
export const takeTransfer = async (
  statements: Statements,
  { request, run }: TransferRun,
): Promise<TransferState> => {
  const taken = { run, date_seen: Date.now() };
  if ((await updateRows(statements, 'svc_transfers', { set: taken, where: { id: request } })) === 0)
    await insertRow(statements, 'svc_transfers', { id: request, ...taken });
  const row = await findRow(statements, 'svc_transfers', { where: { id: request } });
  if (row === undefined) return start;
  return {
    position: Number(row.position),
    line: row.line,
    done: Number(row.done),
    rejected: Number(row.rejected),
    reports: row.reports,
    progress: row.progress,
  };
};

/** Takes a transfer that no process runs. @returns false if another process was faster */
export const claimTransfer = async (
  statements: Statements,
  { request, run }: TransferRun,
  seenBefore: number,
): Promise<boolean> => {
  const taken = { run, date_seen: Date.now() };
  const where = { id: request, date_seen: { below: seenBefore } };
  if ((await updateRows(statements, 'svc_transfers', { set: taken, where })) > 0) return true;
  const row = await findRow(statements, 'svc_transfers', { where: { id: request }, columns: ['id'] });
  if (row !== undefined) return false;
  return insertRow(statements, 'svc_transfers', { id: request, ...taken }).then(
    () => true,
    () => false,
  );
};

/**
 * Stores how far a run is, while its request is running. The row stays locked until the transaction ends.
 * @returns false if another run has taken the transfer, or the request has ended
 */
export const storeTransfer = async (
  statements: Statements,
  { request, run }: TransferRun,
  { position, line, done, rejected, reports, progress }: TransferState,
): Promise<boolean> => {
  const { quote } = statements;
  const { affected } = await statements.write({
    text:
      `update svc_transfers set ${quote('position')} = ?, line = ?, done = ?, rejected = ?, reports = ?, ` +
      `progress = ?, date_seen = ? where id = ? and run = ? and exists (select 1 from svc_requests ` +
      "where svc_requests.id = svc_transfers.id and svc_requests.state = 'running')",
    values: [position, line, done, rejected, reports, progress, Date.now(), request, run],
  });
  return affected > 0;
};

/** Shows that a run is alive. @returns false if another run has taken the transfer */
export const touchTransfer = async (
  statements: Statements,
  { request, run }: TransferRun,
): Promise<boolean> => {
  const set = { date_seen: Date.now() };
  return (await updateRows(statements, 'svc_transfers', { set, where: { id: request, run } })) > 0;
};

/** Lets another process take a transfer over at once. */
export const releaseTransfer = async (
  statements: Statements,
  { request, run }: TransferRun,
): Promise<void> => {
  await updateRows(statements, 'svc_transfers', {
    set: { date_seen: 0 },
    where: { id: request, run },
  });
};

/** Returns the progress of transfers in per cent, by request. */
export const readProgress = async (
  statements: Statements,
  requests: readonly string[],
): Promise<ReadonlyMap<string, number>> => {
  const rows = await findRows(statements, 'svc_transfers', {
    where: { id: requests },
    columns: ['id', 'progress'],
  });
  return new Map(rows.map(({ id, progress }) => [id, progress]));
};

/** Returns whether there is a transfer that has not ended. */
export const hasTransfers = async (statements: Statements): Promise<boolean> => {
  const where = { model: ['svc/import', 'svc/export'], state: ['waiting', 'admitted', 'running'] };
  return (await findRow(statements, 'svc_requests', { where, columns: ['id'] })) !== undefined;
};

/** A transfer that no process runs. */
export interface IdleTransfer {
  readonly request: string;
  readonly model: string;
  /** Unix time in milliseconds of its submission. */
  readonly created: number;
}

/** Returns the transfers that no process runs: requests with a slot, and those whose process shows no sign. */
export const findIdleTransfers = async (
  statements: Statements,
  models: readonly string[],
  seenBefore: number,
): Promise<readonly IdleTransfer[]> => {
  const rows = await statements.query(
    `select svc_requests.id, svc_requests.model, svc_requests.date_created from svc_requests left join svc_transfers on svc_transfers.id = svc_requests.id ` +
      `where svc_requests.model in (${models.map(() => '?').join(', ')}) and (svc_requests.state in ('admitted', 'running') and ` +
      '(svc_transfers.date_seen is null or svc_transfers.date_seen < ?)) ' +
      'order by svc_requests.date_created',
    [...models, seenBefore],
  );
  return rows.map(({ id, model, date_created: created }) => ({
    request: String(id),
    model: String(model),
    created: Number(created),
  }));
};

/** Runs statements on one connection of PostgreSQL, each prepared once. */
import type { BindValue, RowLayout, TakeRows, WriteResult } from '../contract.js';
import type { RenderedStatement } from '../../sql/fragment.js';
import { RowChunks } from '../../execute/row-chunks.js';
import { RowCollector, type RowSet } from '../../execute/row-set.js';
import { rememberSize, sizeHint } from '../../execute/size-hints.js';
import type { PendingRead, ReadGroup } from '../gathered-reads.js';
import type { RowClient } from './client.js';
import { runCommand, runPipelined, type CommandOptions, type Prepared, type RunCommand } from './command.js';
import { numberPlaceholders } from './placeholders.js';
import { compileRows, readDataRow, writeDataRow, type PostgresProgram } from './rows.js';

/** Returns whether the server closes the connection after an error, so that the pool must not reuse it. */
export const endsConnection = (error: Error): boolean => {
  const { severity = '', code = '' } = error as { severity?: string; code?: string };
  // the severity may be localized, so the code is checked as well
  return severity === 'FATAL' || severity === 'PANIC' || code.startsWith('57P');
};

/**
 * Retries a statement that the server rejected, before executing it, because its columns have changed, or the
 * transaction that this has ended.
 */
export const retryIfStale = async <Result>(
  client: RowClient,
  run: () => Promise<Result>,
): Promise<Result> => {
  try {
    return await run();
  } catch (error) {
    if (!isStale(error)) throw error;
    await deallocateStatements(client);
    return run();
  }
};

const isStale = (error: unknown): boolean => {
  const { code, routine } = error as { code?: unknown; routine?: unknown };
  return (code === '0A000' && routine === 'RevalidateCachedQuery') || code === '26000';
};

const deallocateStatements = async (client: RowClient): Promise<void> => {
  client.statements.clear();
  await send(client, 'deallocate all');
};

/** Sends a statement without values. @returns its command tag */
export const send = (client: RowClient, text: string): Promise<string> =>
  runCommand(client, { text, prepared: null, values: [], row: () => undefined });

/** Returns rows as objects. */
export const query = async (
  client: RowClient,
  text: string,
  values: readonly BindValue[],
): Promise<Record<string, unknown>[]> => {
  const rows: Record<string, unknown>[] = [];
  const prepared = values.length === 0 ? null : prepare(client, text);
  const row: CommandOptions['row'] = (data, columns) => rows.push(readDataRow(data, columns));
  await runCommand(client, { text, prepared, values, row });
  return rows;
};

/** Runs a write. */
export const write = async (client: RowClient, { text, values }: RenderedStatement): Promise<WriteResult> => {
  const prepared = values.length === 0 ? null : prepare(client, text);
  const tag = await runCommand(client, { text, prepared, values, row: () => undefined });
  return { affected: Number(/\d+$/.exec(tag)?.[0] ?? 0) };
};

/** Returns rows as JSON. */
export const readRows = async (
  client: RowClient,
  { statement: { text, values }, layout }: Pick<PendingRead, 'statement' | 'layout'>,
  run: RunCommand = runCommand,
): Promise<RowSet> => {
  const prepared = prepare(client, text);
  const collector = new RowCollector(sizeHint(text), layout);
  let program: PostgresProgram | null = null;
  const row: CommandOptions['row'] = (data) =>
    writeDataRow(data, (program ??= programFor(prepared, layout)), collector);
  await run(client, { text, prepared, values, row });
  rememberSize(text, collector.writer.neededSize);
  return collector.finish();
};

/** Passes rows on as JSON, chunk by chunk. */
export const readChunks = async (
  client: RowClient,
  { statement: { text, values }, layout }: Pick<PendingRead, 'statement' | 'layout'>,
  take: TakeRows,
): Promise<void> => {
  const prepared = prepare(client, text);
  const chunks = new RowChunks(layout, take);
  let program: PostgresProgram | null = null;
  const row: CommandOptions['row'] = (data) =>
    writeDataRow(data, (program ??= programFor(prepared, layout)), chunks.collector);
  await runCommand(client, { text, prepared, values, row, cut: () => chunks.cut() });
  await chunks.end();
};

/**
 * Answers reads with the same text, one of which prepares the statement where the server has not yet. One that fails runs
 * again by itself.
 * @throws an error that ends the connection
 */
export const readGroup = async (client: RowClient, reads: ReadGroup): Promise<void> => {
  const [first, ...others] = reads;
  const isPrepared = others.length > 0 && client.hasPrepared(first.statement.text);
  if (!isPrepared) await answer(client, first);
  const failed: PendingRead[] = [];
  await Promise.all(
    runPipelined(client, (run) =>
      (isPrepared ? reads : others).map((read) =>
        readRows(client, read, run).then(read.resolve, () => void failed.push(read)),
      ),
    ),
  );
  for (const read of failed) await answer(client, read);
};

const answer = async (client: RowClient, read: PendingRead): Promise<void> => {
  try {
    read.resolve(await retryIfStale(client, () => readRows(client, read)));
  } catch (error) {
    read.reject(error as Error);
    if (endsConnection(error as Error)) throw error;
  }
};

const programFor = (prepared: Prepared, layout: RowLayout): PostgresProgram => {
  const { program, columns } = prepared;
  if (program?.tokens === layout.tokens && program.columns === columns) return program;
  return (prepared.program = compileRows(layout, columns));
};

const prepare = (client: RowClient, text: string): Prepared => {
  const { statements } = client;
  const present = statements.get(text);
  if (present !== undefined) return present;
  const name = `s${client.nextStatement++}`;
  const prepared: Prepared = { name, text: numberPlaceholders(text), columns: [], program: null };
  statements.set(text, prepared);
  return prepared;
};

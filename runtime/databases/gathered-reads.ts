/**
 * Gathers alike reads of one turn of the event loop, so that a driver sends them together: a packet and an answer of its own
 * cost a small read more than anything else, in this process and in the server (measured).
 */
import { chunk } from '../execute/chunk.js';
import type { RowSet } from '../execute/row-set.js';
import type { RenderedStatement } from '../sql/fragment.js';
import type { Executor, RowLayout } from './contract.js';

/** A read that has not been answered. */
export interface PendingRead {
  readonly statement: RenderedStatement;
  readonly layout: RowLayout;
  resolve(rows: RowSet): void;
  reject(error: Error): void;
}

/** Reads that are sent together, at least one, with the same SQL text: a lock that stops one of them stops all. */
export type ReadGroup = readonly [PendingRead, ...PendingRead[]];

/** Maximum number of reads that wait for each other on one connection; others use further connections meanwhile. */
const maxGroup = 8;

/**
 * Returns the `rows` of an executor, which sends reads of the same SQL text together.
 * @param send sends a group and answers each of its reads; where it fails, those without an answer fail as it does
 */
export const gatherReads = (send: (reads: ReadGroup) => Promise<void>): Executor['rows'] => {
  let groups = new Map<string, PendingRead[]>();
  const sendAll = (): void => {
    const gathered = groups;
    groups = new Map();
    for (const reads of gathered.values()) {
      for (const part of chunk(reads, maxGroup)) {
        send(part as readonly PendingRead[] as ReadGroup).catch((error: Error) => {
          for (const { reject } of part) reject(error);
        });
      }
    }
  };
  return (statement, layout) =>
    new Promise((resolve, reject) => {
      if (groups.size === 0) setImmediate(sendAll);
      const read: PendingRead = { statement, layout, resolve, reject };
      const alike = groups.get(statement.text);
      if (alike === undefined) groups.set(statement.text, [read]);
      else alike.push(read);
    });
};

/** Cuts the rows of one statement into chunks, so that the memory that they take does not depend on their number. */
import type { RowLayout, TakeRows } from '../databases/contract.js';
import { RowCollector } from './row-set.js';

/** Bytes that a chunk has at least; only the last one has fewer. */
const chunkBytes = 1024 * 1024;
/** Bytes of memory with which a chunk begins. */
const firstBytes = 64 * 1024;

/** The stream or connection from which a driver receives rows. */
interface Source {
  pause(): unknown;
  resume(): unknown;
}

/** Receives nothing more until a chunk has been taken. @param fail called with what taking it has thrown */
export const pauseUntil = (taken: Promise<void>, source: Source, fail: (error: Error) => void): void => {
  source.pause();
  taken.catch(fail).finally(() => source.resume());
};

/** Collects rows; a chunk that is full is taken before the driver reads further ones. One per statement. */
export class RowChunks {
  collector: RowCollector;
  readonly #layout: RowLayout;
  readonly #take: TakeRows;
  #taken: Promise<void> = Promise.resolve();

  constructor(layout: RowLayout, take: TakeRows) {
    this.collector = new RowCollector(firstBytes, layout);
    this.#layout = layout;
    this.#take = take;
  }

  /** Returns what the driver has to wait for before it reads on, or null. Called after each row. */
  cut(): Promise<void> | null {
    if (this.collector.writer.length < chunkBytes) return null;
    const { collector } = this;
    this.collector = new RowCollector(firstBytes, this.#layout);
    return this.#enqueue(collector);
  }

  /** Resolves when all rows have been taken. @throws what taking them has thrown */
  async end(): Promise<void> {
    if (this.collector.count > 0) await this.#enqueue(this.collector);
    else await this.#taken;
  }

  #enqueue(collector: RowCollector): Promise<void> {
    this.#taken = this.#taken.then(() => this.#take(collector.finish()));
    return this.#taken;
  }
}

/** A temporary file of chunks, which are written once and then read in their order. */
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Spool {
  write(chunk: Buffer): Promise<void>;
  /** Reads the chunks; the memory of each is new. */
  chunks(): AsyncGenerator<SpooledChunk, void, void>;
  close(): Promise<void>;
}

export interface SpooledChunk {
  readonly chunk: Buffer;
  readonly isLast: boolean;
}

/** Creates the file, which has no name once it is open, so that it ends with its process. */
export const openSpool = async (): Promise<Spool> => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-'));
  const file = await open(join(folder, 'spool'), 'w+', 0o600).finally(() => rm(folder, { recursive: true }));
  const sizes: number[] = [];
  return {
    async write(chunk) {
      await file.appendFile(chunk);
      sizes.push(chunk.length);
    },
    async *chunks() {
      let position = 0;
      for (const [index, size] of sizes.entries()) {
        const chunk = Buffer.allocUnsafe(size);
        await file.read({ buffer: chunk, position });
        position += size;
        yield { chunk, isLast: index === sizes.length - 1 };
      }
    },
    close: () => file.close(),
  };
};

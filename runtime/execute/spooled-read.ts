/**
 * Reads the rows of one statement, however many they are. They wait in a temporary file until the statement has ended: then
 * it keeps its connection as long as the database takes, and not as long as the client does.
 */
import { openSpool, type Spool } from '../concurrency/spool.js';
import type { ChunkReader } from '../databases/contract.js';
import type { CompiledRows } from '../sql/read.js';
import { layoutOf, type ReadInput } from './read.js';
import { JsonRows, RowCollector, type RowSet } from './row-set.js';

/** Some rows of a statement, without their nested lists. */
export interface RowChunk {
  readonly set: RowSet;
  readonly isLast: boolean;
}

export interface SpooledInput extends ReadInput {
  readonly executor: ChunkReader;
}

/** Yields the rows after the end of the statement, one chunk at least. @throws as the statement does, before the first one */
export async function* readSpooled(
  rows: CompiledRows,
  { input, executor, budget }: SpooledInput,
): AsyncGenerator<RowChunk, void, void> {
  const layout = layoutOf(rows, { input, budget });
  const held: { first: RowSet | null; spool: Spool | null } = { first: null, spool: null };
  try {
    await executor.rowsInChunks(rows.statement.render(input), layout, async (set) => {
      if (held.first === null) {
        held.first = set;
        return;
      }
      held.spool ??= await openSpool();
      await writeSet(held.spool, set);
      budget.bytes.giveBack(set.rows.size);
    });
    const { first, spool } = held;
    yield { set: first ?? new RowCollector(0, layout).finish(), isLast: spool === null };
    if (spool === null) return;
    for await (const { set, isLast } of readSets(spool)) {
      budget.bytes.take(set.rows.size);
      yield { set, isLast };
    }
  } finally {
    await held.spool?.close();
  }
}

/** The members of a set that are kept beside its bytes. */
type Rest = Pick<RowSet, 'count' | 'slots'>;

const writeSet = async (spool: Spool, { rows, count, slots }: RowSet): Promise<void> => {
  const rest: Rest = { count, slots };
  await spool.write(rows.bytes);
  await spool.write(Buffer.from(JSON.stringify(rest)));
};

async function* readSets(spool: Spool): AsyncGenerator<RowChunk, void, void> {
  let bytes: Buffer | null = null;
  for await (const { chunk, isLast } of spool.chunks()) {
    if (bytes === null) {
      bytes = chunk;
      continue;
    }
    const { count, slots } = JSON.parse(chunk.toString()) as Rest;
    yield {
      set: { rows: JsonRows.of(bytes), count, slots, next: null, isWhole: true, groups: new Map() },
      isLast,
    };
    bytes = null;
  }
}

/** An apply and its tables, as they are and as they shall be. */
import type { SchemaDiff } from '../diff/types.js';
import { applyRenames, type Renames } from '../diff/renames.js';
import type { TableShape } from '../shapes.js';
import { snapshotToShapes } from '../snapshot/shapes.js';
import type { Snapshot } from '../snapshot/types.js';
import type { LiveSchema } from '../snapshot/write.js';

/** An apply that has begun. */
export interface Apply {
  readonly id: string;
  readonly live: LiveSchema;
  readonly target: Snapshot;
  readonly wanted: Snapshot;
  readonly renames: Renames;
  /** The diff as it was sent. */
  readonly diff: SchemaDiff;
  readonly acceptLoss: boolean;
  /** Generation of the schema once the additive phase has ended: what follows is not all of the apply. */
  readonly generation: number | null;
  /** True where a part of it is committed, whether or not its additive phase has ended. */
  readonly isPartial?: true;
}

/** The part of an apply that is about tables. */
export type TableChange = Pick<Apply, 'live' | 'target' | 'wanted' | 'renames'>;

/** Returns the tables of the database without the system tables. */
export const ownShapes = ({ shapes, systemTables }: LiveSchema): readonly TableShape[] =>
  shapes.filter(({ name }) => !systemTables.has(name));

/** Returns the tables of the target, with the names that they will have, and as they shall be. */
export const comparableShapes = ({
  live,
  target,
  wanted,
  renames,
}: TableChange): readonly [before: readonly TableShape[], after: readonly TableShape[]] => {
  const { printer, collation } = live;
  const before = snapshotToShapes(applyRenames(target, renames), { printer, collation, current: new Map() });
  return [before, wantedShapes(wanted, before, live)];
};

/** Returns the tables as they shall be, spelled like those that are there where they are equal. */
export const wantedShapes = (
  wanted: Snapshot,
  before: readonly TableShape[],
  { printer, collation }: LiveSchema,
): readonly TableShape[] =>
  snapshotToShapes(wanted, {
    printer,
    collation,
    current: new Map(before.map((table) => [table.name, table])),
  });

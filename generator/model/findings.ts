/** Findings while building a model: faults, which end the build, and warnings. */
import { positionToText } from '../spec/faults.js';
import type { Position } from '../spec/types.js';
import { compareText } from '../../contract/text-order.js';

export interface ModelFault {
  /** `spec/collections/works.yaml:3:5`, or a table of the database. */
  readonly where: string;
  readonly message: string;
  /** Description of the fix. */
  readonly remedy: string;
  /** A file names what this database lacks, as after a column was dropped: without that part, it can be served. */
  readonly isOutdated?: true;
}

/** All faults of a model; the message has one line per fault. */
export class ModelError extends Error {
  readonly faults: readonly ModelFault[];

  constructor(faults: readonly ModelFault[]) {
    const sorted = [...faults].sort((a, b) => compareText(positionKey(a), positionKey(b)));
    super(sorted.map(faultToText).join('\n'));
    this.name = 'ModelError';
    this.faults = sorted;
  }
}

/** Returns a line such as `spec/collections/a.yaml:3:5: "a" has no column "b"; remove it`. */
export const faultToText = ({ where, message, remedy }: ModelFault): string =>
  `${where}: ${message}; ${remedy}`;

/** Returns a sort key that orders lines and columns numerically. */
const positionKey = ({ where }: ModelFault): string =>
  where.replaceAll(/\d+/g, (digits) => digits.padStart(8, '0'));

export interface Findings {
  readonly faults: ModelFault[];
  readonly warnings: string[];
}

export interface Finding {
  /** Position in a file; `null` for a finding about the database. */
  readonly position: Position | null;
  /** Name of the database row: `svc_fields, works.title`. */
  readonly source: string;
  readonly message: string;
  readonly remedy: string;
  /** The value is wrong in every database. */
  readonly isInvalid?: true;
}

/** Reports a fault for a file, or a warning for a row of the database, which is then ignored. */
export const report = (
  { faults, warnings }: Findings,
  { position, source, message, remedy, isInvalid }: Finding,
): void => {
  if (position === null) warnings.push(`${source}: ${message}; ${remedy}`);
  else {
    const outdated = isInvalid === true ? {} : ({ isOutdated: true } as const);
    faults.push({ where: positionToText(position), message, remedy, ...outdated });
  }
};

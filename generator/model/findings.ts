/** What building a model finds wrong (faults end the build) and what it only remarks (warnings). */
import { positionToText } from '../spec/faults.js';
import type { Position } from '../spec/types.js';
import { compareText } from './canonical.js';

export interface ModelFault {
  /** `spec/collections/works.yaml:3:5`, or a table of the database. */
  readonly where: string;
  readonly message: string;
  /** What would be right. */
  readonly remedy: string;
}

/** Everything that keeps the model from being built; the message is one line a fault. */
export class ModelError extends Error {
  readonly faults: readonly ModelFault[];

  constructor(faults: readonly ModelFault[]) {
    const sorted = [...faults].sort((a, b) => compareText(placeKey(a), placeKey(b)));
    super(sorted.map(({ where, message, remedy }) => `${where}: ${message}; ${remedy}`).join('\n'));
    this.name = 'ModelError';
    this.faults = sorted;
  }
}

/** Lines and columns in the order of their numbers. */
const placeKey = ({ where }: ModelFault): string =>
  where.replaceAll(/\d+/g, (digits) => digits.padStart(8, '0'));

export interface Findings {
  readonly faults: ModelFault[];
  readonly warnings: string[];
}

export interface Finding {
  /** Where a file says it; `null`: the database says it. */
  readonly place: Position | null;
  /** What says it, where no file does: `svc_fields, works.title`. */
  readonly source: string;
  readonly message: string;
  readonly remedy: string;
}

/** A file that is wrong must be corrected; a row of the database that is wrong is remarked and left aside. */
export const report = ({ faults, warnings }: Findings, { place, source, message, remedy }: Finding): void => {
  if (place === null) warnings.push(`${source}: ${message}; ${remedy}`);
  else faults.push({ where: positionToText(place), message, remedy });
};

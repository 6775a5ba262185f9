/** Prints a snapshot as a file: one value a line, so that a changed column is a changed line. */
import { dump } from 'js-yaml';
import type { Snapshot } from './types.js';

export type FileFormat = 'json' | 'yaml';

/** Prints a snapshot as YAML or indented JSON. */
export const printSnapshot = (snapshot: Snapshot, format: FileFormat): string =>
  format === 'yaml'
    ? dump(snapshot, { lineWidth: -1, noRefs: true })
    : `${JSON.stringify(snapshot, null, 2)}\n`;

/** Returns the name of a download: `Export 20260401-123456.yaml`. */
export const fileName = (extension: string, now: Date): string => {
  const digits = now.toISOString().replaceAll(/\D/g, '');
  return `Export ${digits.slice(0, 8)}-${digits.slice(8, 14)}.${extension}`;
};

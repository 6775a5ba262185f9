/** Parses `export`: the format in which a read is downloaded. */
import { invalidQuery } from '../../contract/errors.js';
import { exportFormats, type ExportFormat } from '../../contract/export-formats.js';

/** Returns the format; null where the parameter is absent. @throws INVALID_QUERY naming the formats */
export const readExport = (value: unknown): ExportFormat | null => {
  if (value === undefined || value === null || value === '') return null;
  const format = exportFormats.find((each) => each === value);
  if (format === undefined) throw invalidQuery(`"export" takes ${exportFormats.join(', ')}`);
  return format;
};

/** Parses `export`: the format in which a read is downloaded. */
import { invalidQuery } from '../../contract/errors.js';
import { exportFormats, type ExportFormat } from '../../contract/export-formats.js';
import type { ApiRequest } from './api-request.js';

/** Returns the format; null where the parameter is absent. @throws INVALID_QUERY naming the formats */
export const readExport = (value: unknown): ExportFormat | null => {
  if (value === undefined || value === null || value === '') return null;
  const format = exportFormats.find((each) => each === value);
  if (format === undefined) throw invalidQuery(`"export" takes ${exportFormats.join(', ')}`);
  return format;
};

/** Refuses `export` for a read that is answered as JSON all the same. @throws INVALID_QUERY */
export const refuseExport = ({ method, query }: Pick<ApiRequest, 'method' | 'query'>): void => {
  if (method !== 'GET' || !new URLSearchParams(query).has('export')) return;
  throw invalidQuery('"export" is for items, of system collections too, and for "/schema/snapshot"');
};

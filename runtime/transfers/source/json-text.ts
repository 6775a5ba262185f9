/** Reads the item of a row from JSON text, as the bodies of requests are read. */
import { isUtf8 } from 'node:buffer';
import { parseJson } from '../../../contract/json.js';
import { hasLoneSurrogate, isTooDeep, loneSurrogate, maxJsonLevels } from '../../request/body.js';
import { findCollision, renameColumns, type Naming } from './payload.js';
import { fault, type SourceRow } from './row.js';

/** Reads an object and renames its members by the mapping; what is wrong with it is returned as a fault. */
export const readJsonItem = (bytes: Buffer, naming: Naming): SourceRow['item'] => {
  const { mapping } = naming;
  if (!isUtf8(bytes)) return fault('the row is not valid UTF-8');
  const text = bytes.toString('utf8');
  if (isTooDeep(text)) return fault(`the row is nested deeper than ${maxJsonLevels} levels`);
  if (hasLoneSurrogate(text)) return fault(`the row has ${loneSurrogate}`);
  const value = parseJson(text);
  if (value === undefined) return fault('the row is not valid JSON');
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return fault('the row is not an object');
  const item = value as Record<string, unknown>;
  if (Object.keys(mapping).length === 0) return item;
  const collision = findCollision(Object.keys(item), mapping);
  if (collision !== null) return fault(collision);
  const renamed = renameColumns(item, naming);
  return typeof renamed === 'string' ? fault(renamed) : renamed;
};

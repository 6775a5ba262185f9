/**
 * Creates the validator of JSON Schemas; the only place that configures it. Loaded when first needed, as it
 * is large.
 */
import { Ajv2020, type Options } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

export type { ErrorObject, ValidateFunction } from 'ajv/dist/2020.js';
export type { Ajv2020 };

export const createAjv = (options: Options): Ajv2020 => {
  const ajv = new Ajv2020(options);
  addFormats.default(ajv);
  return ajv;
};

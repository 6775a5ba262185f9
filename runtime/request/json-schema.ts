/**
 * Creates the validator of JSON Schemas; the only place that configures it. Loaded when first needed, as it
 * is large.
 */
import { Ajv2020, type Options } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { compileExpression, findUnsupported } from '../../contract/expressions.js';

export type { ErrorObject, ValidateFunction } from 'ajv/dist/2020.js';
export type { Ajv2020 };

/**
 * Creates a validator for draft 2020-12. It throws where a schema has an expression that linear time does not
 * allow.
 */
export const createAjv = (options: Options): Ajv2020 => {
  // a schema is on its own: another one may have the same `$id`, such as that of the same model after a reload
  const ajv = new Ajv2020({ ...options, code: { regExp: compilePattern }, addUsedSchema: false });
  addFormats.default(ajv);
  ajv.addFormat('url', { type: 'string', validate: boundUrl(ajv.formats.url) });
  return ajv;
};

/** A text that is too long for the `pattern` it is tested with, so that nothing can be said about it. */
export class UndecidedPattern extends Error {}

/** @throws Error naming an expression that is not supported */
const compilePattern = (source: string) => {
  const expression = compileExpression(source);
  if (!expression.supported) throw new Error(findUnsupported(source) ?? source);
  return {
    // identifies the expression among those of the schema
    toString: () => source,
    test(text: string) {
      const matches = expression.test(text);
      if (matches === null) throw new UndecidedPattern(source);
      return matches;
    },
  };
};
compilePattern.code = 'compilePattern';

/** The library's expression for URLs takes time quadratic in the text. */
const maxUrlLength = 2_048;

const boundUrl = (format: Ajv2020['formats'][string]): ((text: string) => boolean) => {
  if (!(format instanceof RegExp)) throw new TypeError('the format "url" is not an expression');
  return (text) => text.length <= maxUrlLength && format.test(text);
};

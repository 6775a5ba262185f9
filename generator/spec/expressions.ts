/** Reads regular expressions, alone and in JSON Schemas. */
import { findUnsupported } from '../../contract/expressions.js';
import { faultAt } from './faults.js';
import { text, type Read } from './read.js';
import type { SpecFault } from './types.js';
import type { Node } from './yaml.js';

/** Reads a regular expression that can be matched in linear time. */
export const expression: Read<string> = (node, faults) => {
  const source = text(node, faults);
  checkExpression(source, node, faults);
  return source;
};

const checkExpression = (source: string, { position }: Pick<Node, 'position'>, faults: SpecFault[]): void => {
  const problem = findUnsupported(source);
  if (problem !== null) faults.push(faultAt(position, problem, 'rewrite the expression'));
};

const maps = new Set(['$defs', 'definitions', 'dependentSchemas', 'patternProperties', 'properties']);
const data = new Set(['const', 'default', 'dependentRequired', 'enum', 'examples']);

/** Returns whether the value of a keyword maps names to schemas. */
export const holdsSchemasByName = (keyword: string): boolean => maps.has(keyword);

/** Returns whether the value of a keyword is data. */
export const holdsData = (keyword: string): boolean => data.has(keyword);

/** Checks the expressions of `pattern` and `patternProperties` in a JSON Schema. */
export const checkPatterns = (schema: Node, faults: SpecFault[]): void => {
  if (schema.kind === 'list') schema.items.forEach((item) => checkPatterns(item, faults));
  if (schema.kind !== 'map') return;
  for (const [keyword, { value }] of schema.entries) {
    if (keyword === 'pattern' && value.kind === 'scalar') expression(value, faults);
    else if (maps.has(keyword)) checkSchemas(keyword, value, faults);
    else if (!data.has(keyword)) checkPatterns(value, faults);
  }
};

const checkSchemas = (keyword: string, schemas: Node, faults: SpecFault[]): void => {
  if (schemas.kind !== 'map') return;
  for (const [name, { position, value }] of schemas.entries) {
    if (keyword === 'patternProperties') checkExpression(name, { position }, faults);
    checkPatterns(value, faults);
  }
};

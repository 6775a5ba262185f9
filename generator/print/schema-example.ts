/** Returns a value that a JSON Schema accepts, for examples: its own example where it has one. */
import { asSchema, type JsonSchema } from './schema-type.js';

/**
 * Returns an example of a schema: its first of `examples`, its default, or a value made from its type, of an object
 * with what is required. Patterns and formats are not looked at.
 */
export const schemaExample = (schema: JsonSchema): unknown => {
  if (Array.isArray(schema.examples) && schema.examples.length > 0) return schema.examples[0];
  if (schema.default !== undefined) return schema.default;
  if ('const' in schema) return schema.const;
  if (Array.isArray(schema.enum)) return schema.enum[0];
  switch ([schema.type].flat()[0]) {
    case 'integer':
    case 'number':
      return typeof schema.minimum === 'number' ? schema.minimum : 1;
    case 'boolean':
      return true;
    case 'array':
      return [schemaExample(asSchema(schema.items))];
    case 'object':
      return objectExample(schema);
    default:
      return 'example'.slice(0, typeof schema.maxLength === 'number' ? schema.maxLength : undefined);
  }
};

const objectExample = ({ properties, required }: JsonSchema): unknown => {
  const known = asSchema(properties);
  const names = Array.isArray(required) ? required.map(String) : [];
  return Object.fromEntries(names.map((name) => [name, schemaExample(asSchema(known[name]))]));
};

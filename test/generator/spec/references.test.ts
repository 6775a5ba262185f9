/** References of a schema are replaced by what they lead to, wherever the schema is used. */
import { expect, it } from 'vitest';
import { objectSchema } from '../../../generator/spec/json-schema.js';
import type { SpecFault } from '../../../generator/spec/types.js';
import { parseYaml } from '../../../generator/spec/yaml.js';

const read = (text: string) => {
  const faults: SpecFault[] = [];
  const node = parseYaml(text, 'model.yaml', faults);
  const schema = node === null ? null : objectSchema(node, faults);
  expect(faults).toEqual([]);
  return schema;
};

it('references are replaced within definitions too, keep annotations of their own, and names or values that look like one stay', () => {
  const text = `
type: object
properties:
  from: { $ref: '#/$defs/point', description: Where it begins }
  $ref: { type: string, default: '#/$defs/point' }
  list: { type: array, items: { $ref: '#/$defs/line' } }
  data: { const: { $ref: '#/$defs/point' } }
$defs:
  point: { type: object, required: [x], properties: { x: { type: number } }, description: A point }
  line: { type: array, items: { $ref: '#/$defs/point' }, maxItems: 2 }
`;
  const point = { type: 'object', required: ['x'], properties: { x: { type: 'number' } } };
  expect(read(text)).toEqual({
    type: 'object',
    properties: {
      from: { ...point, description: 'Where it begins' },
      $ref: { type: 'string', default: '#/$defs/point' },
      list: {
        type: 'array',
        items: { type: 'array', items: { ...point, description: 'A point' }, maxItems: 2 },
      },
      data: { const: { $ref: '#/$defs/point' } },
    },
  });
});

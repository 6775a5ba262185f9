/** Writes the page of one queue model. */
import type { JsonSchema, QueueModel } from '../../model/types.js';
import { schemaExample } from '../../print/schema-example.js';
import { asSchema } from '../../print/schema-type.js';
import { code, codeBlock, page, paragraph, table, text } from '../../print/markdown.js';

/**
 * Returns the page in Markdown: the schemas of input and output, and a request that runs with the example of
 * the spec.
 */
export const queueModelPage = (model: QueueModel): string => {
  const { id, title, description, access, timeout, attempts, concurrency, input, output } = model;
  const audience =
    access === 'admin' ? 'It is available to administrators.' : 'It is available to users with a key.';
  return page([
    `# ${text(title)}`,
    paragraph(description),
    `The id of the model is ${code(id)}. ${audience}`,
    '## Input',
    propertyTable(input),
    '## Output',
    propertyTable(output),
    '## Requests',
    codeBlock('sh', submitExample(model)),
    paragraph(
      'The response contains `request_id` and the URLs of status, result and cancellation. The webhook receives the ' +
        'result when the request has ended. To wait for the result instead, use `/run/` in place of `/queue/`.',
    ),
    '## Limits',
    table(
      ['Limit', 'Value'],
      [
        ['Timeout of an attempt', `${timeout / 1000} s`],
        ['Attempts if the platform fails', String(attempts)],
        ['Concurrent requests', String(concurrency.model)],
        ['Concurrent requests per account', String(concurrency.account)],
      ],
    ),
  ]);
};

const propertyTable = ({ properties, required }: JsonSchema): string => {
  const needed = new Set(Array.isArray(required) ? required.map(String) : []);
  const rows = Object.entries(asSchema(properties)).map(([name, schema]) =>
    propertyRow(name, asSchema(schema), needed.has(name)),
  );
  return table(['Name', 'Type', 'Required', 'Default', 'Note'], rows);
};

const propertyRow = (name: string, schema: JsonSchema, required: boolean): string[] => [
  code(name),
  typeText(schema),
  required ? 'yes' : '',
  schema.default === undefined ? '' : code(JSON.stringify(schema.default)),
  typeof schema.description === 'string' ? text(schema.description) : '',
];

const typeText = ({ type, enum: values, items }: JsonSchema): string => {
  if (Array.isArray(values)) return `one of ${values.map((value) => code(JSON.stringify(value))).join(', ')}`;
  if (type === 'array' && items !== undefined) return `array of ${elementText(asSchema(items))}`;
  return type === undefined ? 'any JSON' : [type].flat().map(String).join(' or ');
};

/** Prints the type of the elements of an array, in the plural where it is one word. */
const elementText = (items: JsonSchema): string =>
  typeText(items).replace(/^(?:boolean|integer|number|object|string)$/, '$&s');

const submitExample = ({ id, input }: QueueModel): string => {
  const body = JSON.stringify(schemaExample(input)).replaceAll("'", "'\\''");
  return [
    `curl "$URL/queue/${id}?svc_webhook=https://example.com/hook" \\`,
    '  -H "Authorization: Key $KEY" -H "Content-Type: application/json" \\',
    `  -d '${body}'`,
  ].join('\n');
};

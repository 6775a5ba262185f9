/** `svc model …`: begins a model of the queue. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { Command } from 'commander';
import { upstreamAddress } from '../../contract/queue-model.js';
import { Refusal } from '../config/refusal.js';
import { action, printLine } from './output.js';

interface Flags {
  readonly http?: string;
}

/** Creates `svc model`. `new` writes files of a model and never replaces one. */
export const modelCommand = (): Command =>
  new Command('model').description('create models of the queue').addCommand(newCommand());

const newCommand = (): Command =>
  new Command('new')
    .description('write the files of a new model, which works as it is')
    .argument('<id>', 'id of the model, such as acme/shout')
    .option('--http <url>', 'address of an inference server; without it, the model is a function')
    .action(
      action(async (id: string, { http }: Flags) => {
        checkId(id);
        if (http !== undefined) checkAddress(http);
        const { queueModelNames } = await import('../../generator/model/naming.js');
        const { type } = queueModelNames(id);
        const title = id.slice(id.lastIndexOf('/') + 1);
        const module = `models/${title}.ts`;
        const spec = `spec/models/${id.replaceAll('/', '.')}.yaml`;
        const runner = http === undefined ? `function: ./${module}` : `http: ${JSON.stringify(http)}`;
        const files = [
          { path: spec, text: specText(title, runner) },
          ...(http === undefined ? [{ path: module, text: moduleText(type) }] : []),
        ];
        const present = files.filter(({ path }) => existsSync(path));
        if (present.length > 0)
          throw new Refusal(
            `${present.map(({ path }) => path).join(' and ')} ${present.length === 1 ? 'exists' : 'exist'} already; choose another id`,
          );
        for (const { path, text } of files) {
          mkdirSync(dirname(path), { recursive: true });
          writeFileSync(path, text);
          printLine(`written: ${path}`);
        }
        printLine('next: svc generate, which writes its types; then svc dev');
        return 0;
      }),
    );

const segment = '[a-z0-9][a-z0-9_-]*';
const idPattern = new RegExp(`^${segment}(/${segment})+$`);

/** @throws Refusal for an id that `svc generate` would not take */
const checkId = (id: string): void => {
  const [first = ''] = id.split('/');
  if (!idPattern.test(id) || ['queue', 'run', 'svc'].includes(first) || id.split('/').includes('requests'))
    throw new Refusal(
      `"${id}" cannot be the id of a model; write it as in acme/shout, in small letters; it cannot begin with ` +
        'queue, run or svc, or contain requests',
    );
};

/** @throws Refusal for an address that `svc generate` would not take */
const checkAddress = (address: string): void => {
  if (!upstreamAddress.test(address))
    throw new Refusal(
      '--http has to begin with http:// or https://, or with ${NAME} of an environment variable',
    );
};

const specText = (title: string, runner: string): string => `title: ${JSON.stringify(title)}
description: Returns the text that it is given.
runner: { ${runner} }
timeout: 1m
input:
  type: object
  required: [text]
  additionalProperties: false
  properties:
    text: { type: string, minLength: 1, maxLength: 1000 }
  examples: [{ text: land ahoy }]
output:
  type: object
  required: [text]
  additionalProperties: false
  properties:
    text: { type: string }
`;

const moduleText = (type: string): string => `import type { RunModel } ${from('@svc-api/svc/runtime')}
import type { ${type}Input, ${type}Output } ${from('../generated/server/queue-models.js')}

export const run: RunModel<${type}Input, ${type}Output> = async ({ text }, context) => {
  context.log('running');
  return { text };
};
`;

const from = (module: string): string => `from '${module}';`;

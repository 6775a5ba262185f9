/** Models of the tests of alarms: one that ends at once, and one that writes more lines than a log takes. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Workplace } from '../commands.js';

const models = {
  quick: ['quick', 'export const run = async () => ({ done: true });'],
  // ends once the test has written a file
  chatty: [
    'chatty',
    `import { existsSync } from 'node:fs';
export const run = async (_input, { log }) => {
  while (!existsSync('speak')) await new Promise((resolve) => setTimeout(resolve, 50));
  for (let line = 0; line < 6000; line += 1) log('line ' + line);
  return { done: true };
};`,
  ],
} as const;

/** Writes them and their spec files into a project. */
export const writeModels = ({ directory }: Workplace): void => {
  for (const folder of ['spec/models', 'models']) mkdirSync(join(directory, folder), { recursive: true });
  writeFileSync(join(directory, 'package.json'), '{ "type": "module" }\n');
  for (const [name, [pool, text]] of Object.entries(models)) {
    writeFileSync(
      join(directory, `spec/models/acme.${name}.yaml`),
      `title: ${name}\ndescription: A model of a test.\nrunner: { function: ./models/${name}.js }\ntimeout: 120s\n` +
        `class: ${pool}\nconcurrency: { model: 10, account: 10 }\ninput: { type: object, properties: {} }\n` +
        'output: { type: object, required: [done], properties: { done: { type: boolean } } }\n',
    );
    writeFileSync(join(directory, `models/${name}.js`), `${text}\n`);
  }
};

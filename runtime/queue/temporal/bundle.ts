/** Bundles the workflows into one file when the package is built, so that workers start without a bundler. */
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode } from '@temporalio/worker';

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const silent = () => undefined;

const { code } = await bundleWorkflowCode({
  workflowsPath: here('./workflows/index.js'),
  logger: { log: silent, trace: silent, debug: silent, info: silent, warn: silent, error: silent },
});
await writeFile(here('./workflow-bundle.js'), code);

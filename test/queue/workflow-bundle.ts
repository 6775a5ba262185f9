import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode } from '@temporalio/worker';
import { sharedRoot, sharedText } from '../shared.js';

const workflowsPath = fileURLToPath(
  new URL('../../runtime/queue/temporal/workflows/index.ts', import.meta.url),
);

const nothing = (): void => undefined;
const logger = { log: nothing, trace: nothing, debug: nothing, info: nothing, warn: nothing, error: nothing };

/** Returns the file of the bundled workflows: each worker would bundle them three times. */
export const workflowBundle = async (): Promise<string> => {
  const name = 'workflow-bundle.js';
  await sharedText(name, async () => (await bundleWorkflowCode({ workflowsPath, logger })).code);
  return join(sharedRoot(), name);
};

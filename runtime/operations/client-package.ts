/** Serves the client of the API as a package that npm installs. */
import { fork } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runInChild } from '../../contract/ask-child.js';
import { apiError } from '../../contract/errors.js';
import type { Config } from '../config/config.js';
import { modulePath } from '../config/package.js';
import type { PackageResult, PackageTask } from '../processes/client-package.js';

/**
 * Returns a function that reads the package of a build, which the first call makes.
 * @param directory folder of the build
 */
export const createClientPackage = (directory: string, tables: Config['tables']): (() => Promise<Buffer>) => {
  const file = join(directory, 'client.tgz');
  let making: Promise<void> | null = null;
  return async () => {
    if (!existsSync(file)) {
      making ??= makePackage({ directory, tables }).finally(() => (making = null));
      await making;
    }
    return readFile(file);
  };
};

const makePackage = async (task: PackageTask): Promise<void> => {
  const child = fork(modulePath('processes/client-package'));
  const result = await runInChild<PackageResult>(child, task, 'the package of the client');
  if (result.kind === 'failed') throw new Error(result.message);
  if (result.kind === 'missing') {
    const remedy =
      'install them as "Generating it" in docs/client.md says, or run "svc generate" where they are';
    throw apiError(
      'ROUTE_NOT_FOUND',
      { path: '/server/sdk.tgz' },
      `the server lacks the tools that make the client; ${remedy}`,
    );
  }
};

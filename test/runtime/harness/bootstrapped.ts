/** Provides the system tables without running `svc bootstrap`, by copying a template that is made once per run. */
import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { systemTemplate } from '../../templates.js';
import { createWorkplace, type Workplace } from '../commands.js';

/** Creates a workplace whose default database has the system tables; its administrator has `adminToken`. */
export const createBootstrapped = async (): Promise<Workplace> => {
  const place = createWorkplace();
  await copySystemTables(place);
  return place;
};

export const copySystemTables = async ({ directory }: Workplace): Promise<void> => {
  const { source } = await systemTemplate('sqlite');
  mkdirSync(join(directory, '.svc'), { recursive: true });
  copyFileSync(source, join(directory, '.svc', 'data.db'));
};

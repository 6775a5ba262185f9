/** `svc requests pause` and `resume`: models, classes, accounts and endpoints of webhooks. */
import { Command } from 'commander';
import { specFolders } from '../config/paths.js';
import { Refusal } from '../config/refusal.js';
import type { Database } from '../databases/contract.js';
import { actAtOnce } from '../queue/operator/immediate-actions.js';
import { pauseKinds, type PauseKind, type PauseTarget } from '../queue/store/pauses.js';
import { action, printLine } from './output.js';
import { withDatabase } from './with-database.js';

type Flags = Readonly<Partial<Record<PauseKind | 'reason', string>>>;

const descriptions = {
  pause: 'hold the requests of a model, a class or an account, or the webhooks to an endpoint',
  resume: 'end a pause; what it held goes on within a minute',
} as const;

/** Creates `pause` or `resume`. */
export const pauseCommand = (name: 'pause' | 'resume'): Command =>
  new Command(name)
    .description(descriptions[name])
    .option('--model <id>', 'requests to this model')
    .option('--class <name>', 'requests to the models of this class')
    .option('--account <id>', 'requests of this account, by id or e-mail address')
    .option('--endpoint <origin>', 'webhooks to this scheme, host and port')
    .option('--reason <text>', 'reason, shown to other operators')
    .action(
      action(async (flags: Flags) => {
        const { target, done } = await withDatabase(async (database) => {
          const found = await readTarget(flags, database);
          const by = { reason: flags.reason ?? null };
          return { target: found, ...(await actAtOnce(database, { action: name, target: found }, by)) };
        });
        const resumed = done === 0 ? 'was not paused' : 'is resumed';
        printLine(`${target.kind} ${target.name} ${name === 'pause' ? 'is paused' : resumed}`);
        return 0;
      }),
    );

/** @throws Refusal for none or several targets, and for one that does not exist */
const readTarget = async (flags: Flags, database: Database): Promise<PauseTarget> => {
  const [kind, ...others] = pauseKinds.filter((each) => flags[each] !== undefined);
  if (kind === undefined || others.length > 0)
    throw new Refusal(`pass one of ${pauseKinds.map((each) => `--${each}`).join(', ')}`);
  const { findTarget } = await import('../operations/pause-target.js');
  return findTarget({ kind, name: flags[kind] ?? '' }, { database, loadModels, toError });
};

const toError = (reason: string): Error => new Refusal(reason);

const loadModels = async () => {
  const { loadSpec } = await import('../../generator/spec/load.js');
  return (await loadSpec(specFolders())).queueModels;
};

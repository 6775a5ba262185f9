#!/usr/bin/env node
/** The shell's way in. Only the command that is asked for is loaded: the supervisor lives in this process. */
import { Command } from 'commander';
import { packageVersion } from './config/package.js';

const commands: ReadonlyMap<string, () => Promise<Command>> = new Map([
  ['demo', async () => (await import('./commands/demo.js')).demoCommand()],
  ['bootstrap', async () => (await import('./commands/bootstrap.js')).bootstrapCommand()],
  ['generate', async () => (await import('./commands/generate.js')).generateCommand()],
  ['start', async () => (await import('./commands/start.js')).startCommand()],
  ['access', async () => (await import('./commands/access.js')).accessCommand()],
  ['activity', async () => (await import('./commands/activity.js')).activityCommand()],
  ['keys', async () => (await import('./commands/keys.js')).keysCommand()],
  ['users', async () => (await import('./commands/users.js')).usersCommand()],
  ['webhooks', async () => (await import('./commands/webhooks.js')).webhooksCommand()],
  ['worker', async () => (await import('./commands/worker.js')).workerCommand()],
]);

/** All of them where none is named: for `--help`, and to say what was meant by a misspelled one. */
const loadCommands = (name: string | undefined): Promise<Command[]> => {
  const named = commands.get(name ?? '');
  return Promise.all((named === undefined ? [...commands.values()] : [named]).map((load) => load()));
};

/** A command that is called wrongly is a failure (2); help and version are not. */
const asFailure = (command: Command): void => {
  command.exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : 2));
  for (const child of command.commands) asFailure(child);
};

const program = new Command('svc')
  .description('a content API generated from a live database')
  .version(packageVersion);
for (const command of await loadCommands(process.argv[2])) program.addCommand(command);
asFailure(program);
await program.parseAsync();
// Whatever a driver still holds open does not keep the shell waiting.
process.exit();

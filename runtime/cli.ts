#!/usr/bin/env node
/** The command line. Loads only the requested command, because the supervisor runs in this process. */
import type { Command } from 'commander';
import { requireNodeVersion } from './config/node-version.js';
import { packageVersion } from './config/package.js';

requireNodeVersion();

const commands: ReadonlyMap<string, () => Promise<Command>> = new Map([
  ['demo', async () => (await import('./commands/demo.js')).demoCommand()],
  ['bootstrap', async () => (await import('./commands/bootstrap.js')).bootstrapCommand()],
  ['doctor', async () => (await import('./commands/doctor.js')).doctorCommand()],
  ['generate', async () => (await import('./commands/generate.js')).generateCommand()],
  ['start', async () => (await import('./commands/start.js')).startCommand()],
  ['access', async () => (await import('./commands/access.js')).accessCommand()],
  ['activity', async () => (await import('./commands/activity.js')).activityCommand()],
  ['keys', async () => (await import('./commands/keys.js')).keysCommand()],
  ['dev', async () => (await import('./commands/dev.js')).devCommand()],
  ['model', async () => (await import('./commands/model.js')).modelCommand()],
  ['import', async () => (await import('./commands/transfers/import.js')).importCommand()],
  ['export', async () => (await import('./commands/transfers/export.js')).exportCommand()],
  ['requests', async () => (await import('./commands/requests.js')).requestsCommand()],
  ['deliveries', async () => (await import('./commands/deliveries.js')).deliveriesCommand()],
  ['workers', async () => (await import('./commands/workers.js')).workersCommand()],
  ['schema', async () => (await import('./commands/schema/index.js')).schemaCommand()],
  ['users', async () => (await import('./commands/users.js')).usersCommand()],
  ['webhooks', async () => (await import('./commands/webhooks.js')).webhooksCommand()],
  ['worker', async () => (await import('./commands/worker.js')).workerCommand()],
]);

/** Loads the named command, or all of them where none matches: for `--help` and for suggestions. */
const loadCommands = (name: string | undefined): Promise<Command[]> => {
  const named = commands.get(name ?? '');
  return Promise.all((named === undefined ? [...commands.values()] : [named]).map((load) => load()));
};

/** Exits with 2 on incorrect usage, and with 0 after help and version. */
const asFailure = (command: Command): void => {
  command.exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : 2));
  for (const child of command.commands) asFailure(child);
};

const commander = await import('commander');
const program = new commander.Command('svc')
  .description('a content API generated from a live database')
  .version(packageVersion);
for (const command of await loadCommands(process.argv[2])) program.addCommand(command);
asFailure(program);
await program.parseAsync();
// Handles that a driver keeps open must not delay the exit.
process.exit();

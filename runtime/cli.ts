#!/usr/bin/env node
/** The shell's way in. Commands import what they need when they run, so that `--help` and the supervisor stay small. */
import { Command } from 'commander';
import { bootstrapCommand } from './commands/bootstrap.js';
import { demoCommand } from './commands/demo.js';
import { generateCommand } from './commands/generate.js';
import { startCommand } from './commands/start.js';
import { usersCommand } from './commands/users.js';
import { packageVersion } from './package.js';

const program = new Command('svc')
  .description('a content API generated from a live database')
  .version(packageVersion)
  .addCommand(demoCommand())
  .addCommand(bootstrapCommand())
  .addCommand(generateCommand())
  .addCommand(startCommand())
  .addCommand(usersCommand());

/** A command that is spelled wrong is a failure (2), help and version are not. */
const asFailure = (command: Command): void => {
  command.exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : 2));
  for (const child of command.commands) asFailure(child);
};

asFailure(program);
await program.parseAsync();
// Whatever a driver still holds open does not keep the shell waiting.
process.exit();

/** `svc schema watch`: the event trigger by which a database tells servers of changed tables. */
import { Command } from 'commander';
import { Refusal } from '../../config/refusal.js';
import type { Database, SchemaTrigger } from '../../databases/contract.js';
import { action, printLine } from '../output.js';
import { withDatabase } from '../with-database.js';

interface Flags {
  readonly install?: true;
  readonly remove?: true;
  readonly sql?: true;
}

/** Creates `svc schema watch`. */
export const watchCommand = (): Command =>
  new Command('watch')
    .description('print whether the database tells servers of changed tables (SCHEMA_WATCH=trigger)')
    .option('--install', 'create the event trigger, which takes a superuser')
    .option('--remove', 'remove the event trigger')
    .option('--sql', 'print the statements instead of running them')
    .action(action(async (flags: Flags) => withDatabase((database) => watch(database, flags))));

const watch = async (database: Database, { install, remove, sql }: Flags): Promise<0> => {
  const trigger = database.schemaTrigger;
  if (trigger === undefined)
    throw new Refusal('this database has no event triggers; servers look every SCHEMA_WATCH instead');
  const statements = remove === true ? trigger.remove : trigger.install;
  if (sql === true) printLine(statements.map((text) => `${text};`).join('\n'));
  else if (install === true || remove === true) await run(statements, trigger, database);
  if (sql !== true) printLine(await describe(trigger));
  return 0;
};

const run = async (
  statements: readonly string[],
  trigger: SchemaTrigger,
  database: Database,
): Promise<void> => {
  try {
    await database.changeSchema(async ({ write }) => {
      for (const text of statements) await write({ text, values: [] });
    });
  } catch (error) {
    if (!trigger.isDenial(error)) throw error;
    throw new Refusal(
      'the user of DATABASE_URL may not do that, as it takes a superuser; have one run what --sql prints',
    );
  }
};

const describe = async (trigger: SchemaTrigger): Promise<string> =>
  (await trigger.isInstalled())
    ? 'the trigger is installed: servers with SCHEMA_WATCH=trigger follow at once'
    : 'the trigger is not installed';

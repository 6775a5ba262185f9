/** `svc keys …`: manages keys of the queue. */
import { Command } from 'commander';
import { findByEmail } from '../auth/accounts.js';
import { createKeys, exportSecrets } from '../auth/keys.js';
import type { Database } from '../databases/contract.js';
import { createKey } from '../queue/requests/keys.js';
import { deleteKey, listKeys, type StoredKey } from '../queue/store/keys.js';
import { Refusal } from '../config/refusal.js';
import { action, printLine, printJson } from './output.js';
import { withDatabase } from './with-database.js';

export const keysCommand = (): Command =>
  new Command('keys')
    .description('keys of the queue: Authorization: Key <id>:<secret>')
    .addCommand(createCommand())
    .addCommand(listCommand())
    .addCommand(revokeCommand());

interface Flags {
  readonly user: string;
  readonly models?: string;
  readonly json?: true;
}

const createCommand = (): Command =>
  new Command('create')
    .description('make a key and print it; it is not shown again')
    .requiredOption('--user <email>', 'whose key it is')
    .option('--models <patterns>', 'models it may use, as in a/b,c/*; every model where absent')
    .option('--json', 'print the key as JSON')
    .action(
      action(async ({ user, models, json }: Flags) => {
        const made = await withDatabase(async (database, config) =>
          createKey(
            database,
            {
              account: await accountOf(database, user),
              name: null,
              models: models?.split(',').map((pattern) => pattern.trim()) ?? null,
              expires: null,
            },
            await exportSecrets(createKeys(config.secret)),
          ),
        );
        if (json === true) printJson({ id: made.stored.id, key: made.key });
        else printLine(made.key);
        return 0;
      }),
    );

const listCommand = (): Command =>
  new Command('list')
    .description('list the keys of a user')
    .requiredOption('--user <email>', 'whose keys')
    .option('--json', 'print them as JSON')
    .action(
      action(async ({ user, json }: Flags) => {
        const keys = await withDatabase(async (database) =>
          listKeys(database, await accountOf(database, user)),
        );
        if (json === true) printJson(keys.map(({ hash: _hash, ...key }) => key));
        else for (const key of keys) printLine(keyToLine(key));
        return 0;
      }),
    );

const revokeCommand = (): Command =>
  new Command('revoke')
    .description('revoke a key; acts at once')
    .argument('<id>')
    .requiredOption('--user <email>', 'whose key it is')
    .action(
      action(async (id: string, { user }: Flags) => {
        const revoked = await withDatabase(async (database) =>
          deleteKey(database, id.split(':')[0] ?? '', await accountOf(database, user)),
        );
        if (!revoked) throw new Refusal(`${user} has no key ${id.split(':')[0]}`);
        printLine('revoked');
        return 0;
      }),
    );

const keyToLine = ({ id, models, used }: StoredKey): string =>
  [
    id,
    models?.join(', ') ?? 'every model',
    used === null ? 'never used' : `used ${new Date(used).toISOString()}`,
  ].join('  ');

const accountOf = async (database: Database, email: string): Promise<string> => {
  const found = await findByEmail(database, email);
  if (found === null) {
    throw new Refusal(`there is no user ${email}; "svc users create ${email}" makes one`);
  }
  return found.id;
};

/** `svc keys …`: manages keys of the queue. */
import { Command } from 'commander';
import { findByEmail } from '../auth/accounts.js';
import { createKeys, exportSecrets } from '../auth/keys.js';
import type { Database } from '../databases/contract.js';
import { specFolders } from '../config/paths.js';
import { allows, createKey } from '../queue/requests/keys.js';
import { deleteKey, listKeys, type StoredKey } from '../queue/store/keys.js';
import { Refusal } from '../config/refusal.js';
import { action, printLine, printJson } from './output.js';
import { withDatabase } from './with-database.js';

/** Creates `svc keys`. The secret of a key is printed once, when it is created. */
export const keysCommand = (): Command =>
  new Command('keys')
    .description('manage keys of the queue, sent as Authorization: Key <id>:<secret>')
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
    .description('create a key and print it, once')
    .requiredOption('--user <email>', 'e-mail address of the user')
    .option('--models <patterns>', 'models that the key may use, such as a/b,c/* (default: all)')
    .option('--json', 'print the key as JSON')
    .action(
      action(async ({ user, models, json }: Flags) => {
        const patterns = models?.split(',').map((pattern) => pattern.trim()) ?? null;
        await checkPatterns(patterns ?? []);
        const created = await withDatabase(async (database, config) =>
          createKey(
            database,
            {
              account: await accountOf(database, user),
              name: null,
              models: patterns,
              expires: null,
            },
            await exportSecrets(createKeys(config.secret)),
          ),
        );
        if (json === true) printJson({ id: created.stored.id, key: created.key });
        else printLine(created.key);
        return 0;
      }),
    );

/** @throws Refusal for patterns that match no model: a key for them would open nothing */
const checkPatterns = async (patterns: readonly string[]): Promise<void> => {
  if (patterns.length === 0) return;
  const [{ loadSpec }, { suggest }] = await Promise.all([
    import('../../generator/spec/load.js'),
    import('../../generator/spec/faults.js'),
  ]);
  const ids = (await loadSpec(specFolders())).queueModels.map(({ id }) => id);
  const unknown = patterns.filter((pattern) => !ids.some((id) => allows([pattern], id)));
  if (unknown.length === 0) return;
  const known =
    ids.length === 0 ? 'spec/models/ has none' : `expected ${ids.join(', ')}, or a pattern such as a/*`;
  throw new Refusal(
    unknown.map((name) => `no model matches "${name}"; ${suggest(name, ids, known)}`).join('\n'),
  );
};

const listCommand = (): Command =>
  new Command('list')
    .description('list the keys of a user')
    .requiredOption('--user <email>', 'e-mail address of the user')
    .option('--json', 'print the keys as JSON')
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
    .description('revoke a key, effective immediately')
    .argument('<id>')
    .requiredOption('--user <email>', 'e-mail address of the user')
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
    models?.join(', ') ?? 'all models',
    used === null ? 'never used' : `used ${new Date(used).toISOString()}`,
  ].join('  ');

const accountOf = async (database: Database, email: string): Promise<string> => {
  const found = await findByEmail(database, email);
  if (found === null) {
    throw new Refusal(`there is no user ${email}; run "svc users create ${email}"`);
  }
  return found.id;
};

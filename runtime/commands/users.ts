/** `svc users …`: restores access to locked-out accounts. */
import { Command } from 'commander';
import { Refusal } from '../config/refusal.js';
import { createKeys } from '../auth/keys.js';
import { createStaticTokens } from '../auth/static-tokens.js';
import type { Config } from '../config/config.js';
import { hashPassword } from '../auth/passwords/hash.js';
import { findRow, type Statements } from '../execute/system-rows.js';
import {
  changeAccessRows,
  createPassword,
  createToken,
  findRole,
  findUser,
  insertUser,
  isEmail,
  roleNames,
  updateUser,
  type NewUser,
} from '../schema/users.js';
import { action, printLine, printJson } from './output.js';
import { withDatabase } from './with-database.js';

/**
 * Creates `svc users`. Changes are recorded as activity without a user, and wait until every process knows
 * them.
 */
export const usersCommand = (): Command =>
  new Command('users')
    .description('create users; reset tokens, passwords and one-time passwords')
    .addCommand(createCommand())
    .addCommand(tokenCommand())
    .addCommand(passwordCommand())
    .addCommand(tfaResetCommand());

const createCommand = (): Command =>
  new Command('create')
    .description('create a user without password or token')
    .argument('<email>')
    .option('--role <name>', 'name of the role')
    .option('--json', 'print the user as JSON')
    .action(
      action(async (email: string, { role, json }: { role?: string; json?: true }) => {
        if (!isEmail(email))
          throw new Refusal(`"${email}" is not an e-mail address of at most 128 characters`);
        const id = await withAccess(async (statements) => {
          if ((await findUser(statements, email)) !== null)
            throw new Refusal(`the user ${email} already exists`);
          return insertUser(statements, { email, role: await roleOf(statements, role) });
        });
        if (json === true) printJson({ id, email, role: role ?? null });
        else printLine(`user ${email} created${role === undefined ? '' : ` with the role ${role}`}: ${id}`);
        return 0;
      }),
    );

const tokenCommand = (): Command =>
  new Command('token')
    .description('replace the static token of a user and print it')
    .argument('<email>')
    .option('--json', 'print the token as JSON')
    .action(
      action(async (email: string, { json }: { json?: true }) => {
        const token = createToken();
        await changeUser(email, async (config) => ({ token: await toStoredToken(token, config) }));
        if (json === true) printJson({ email, token });
        else printLine(token);
        return 0;
      }),
    );

const passwordCommand = (): Command =>
  new Command('password')
    .description('replace the password of a user, print it, and end all sessions of the user')
    .argument('<email>')
    .option('--json', 'print the password as JSON')
    .action(
      action(async (email: string, { json }: { json?: true }) => {
        const password = createPassword();
        await changeUser(email, async () => ({ password: await hashPassword(password) }));
        if (json === true) printJson({ email, password });
        else printLine(password);
        return 0;
      }),
    );

const tfaResetCommand = (): Command =>
  new Command('tfa-reset')
    .description('turn off one-time passwords for a user, for example after a lost phone')
    .argument('<email>')
    .action(
      action(async (email: string) => {
        await changeUser(email, async () => ({ tfa_secret: null }));
        printLine(`one-time passwords of ${email} are off`);
        return 0;
      }),
    );

const changeUser = (email: string, changesOf: (config: Config) => Promise<Partial<NewUser>>): Promise<void> =>
  withAccess(async (statements, config) => {
    const user = await findUser(statements, email);
    if (user === null) throw new Refusal(`there is no user ${email}; run "svc users create ${email}"`);
    await updateUser(statements, user.id, await changesOf(config));
  });

const toStoredToken = (token: string, { secret, auth }: Config): Promise<string> =>
  createStaticTokens(createKeys(secret), auth.staticTokens).toStored(token);

const withAccess = <Result>(
  body: (statements: Statements, config: Config) => Promise<Result>,
): Promise<Result> =>
  withDatabase(async (database, config) => {
    await findRow(database, 'svc_users', { columns: ['id'], limit: 1 }).catch((error: Error) => {
      throw new Refusal(`svc_users cannot be read: ${error.message}; run "svc bootstrap" to create it`);
    });
    return changeAccessRows(database, (statements) => body(statements, config));
  });

const roleOf = async (statements: Statements, name: string | undefined): Promise<string | null> => {
  if (name === undefined) return null;
  const found = await findRole(statements, name);
  if (found !== null) return found;
  const names = await roleNames(statements);
  throw new Refusal(
    `there is no role "${name}"; expected ${names.length === 0 ? 'no --role' : names.join(', ')}`,
  );
};

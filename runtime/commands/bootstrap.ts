/** `svc bootstrap`: creates the system tables and the first administrator. */
import { Command } from 'commander';
import { createKeys } from '../auth/keys.js';
import { createStaticTokens } from '../auth/static-tokens.js';
import type { Config } from '../config/config.js';
import type { Database } from '../databases/contract.js';
import { specFolders } from '../config/paths.js';
import type { BootstrapReport } from '../schema/bootstrap.js';
import { action, createProgress, printLine, printJson } from './output.js';
import { withDatabase } from './with-database.js';

/** Creates `svc bootstrap`, which prints generated secrets once, on stdout, and its progress on stderr. */
export const bootstrapCommand = (): Command =>
  new Command('bootstrap')
    .description('create or complete the system tables and the first administrator; safe to repeat')
    .option('--json', 'print the report as JSON')
    .action(
      action(async ({ json }: { json?: true }) => {
        const progress = createProgress();
        const report = await withDatabase(async (database, config) =>
          withoutConfigured(await runBootstrap(database, config, progress.step), config.admin),
        );
        progress.done();
        if (json === true) printJson(report);
        else for (const line of reportToLines(report)) printLine(line);
        return 0;
      }),
    );

/** Creates the shared secret and runs bootstrap; also a step of `svc demo`. */
export const runBootstrap = async (
  database: Database,
  config: Config,
  log: (message: string) => void,
): Promise<BootstrapReport> => {
  const [{ bootstrap }, { loadSpec }, { introspect }] = await Promise.all([
    import('../schema/bootstrap.js'),
    import('../../generator/spec/load.js'),
    import('../../generator/introspection/index.js'),
  ]);
  const keys = createKeys(config.secret);
  await keys();
  return bootstrap({
    database,
    spec: await loadSpec(specFolders()),
    introspect: () => introspect(database, { include: ['svc_*'] }),
    admin: config.admin,
    staticTokens: createStaticTokens(keys, config.auth.staticTokens),
    log,
  });
};

interface PrintedReport extends BootstrapReport {
  /** Names of the variables whose credentials are used and left out. */
  readonly configured: readonly string[];
}

/** Removes credentials that the operator supplied: the output may end up in the log of a deployment. */
const withoutConfigured = ({ steps, admin }: BootstrapReport, given: Config['admin']): PrintedReport => {
  const isTokenGiven = admin.token !== null && admin.token === given.token;
  const isPasswordGiven = admin.password !== null && admin.password === given.password;
  return {
    steps,
    admin: {
      ...admin,
      token: isTokenGiven ? null : admin.token,
      password: isPasswordGiven ? null : admin.password,
    },
    configured: [...(isTokenGiven ? ['ADMIN_TOKEN'] : []), ...(isPasswordGiven ? ['ADMIN_PASSWORD'] : [])],
  };
};

const reportToLines = ({ steps, admin, configured }: PrintedReport): readonly string[] => [
  steps.length === 0 ? 'system tables are up to date' : `system tables: ran ${steps.length} steps`,
  adminToLine(admin),
  ...(configured.length === 0 ? [] : [`not printed, because you set it: ${configured.join(', ')}`]),
  ...(admin.token === null ? [] : [`token: ${admin.token}`]),
  ...(admin.password === null ? [] : [`password: ${admin.password}`]),
];

const adminToLine = ({ state, email }: BootstrapReport['admin']): string => {
  switch (state) {
    case 'created':
      return `administrator ${email} created`;
    case 'promoted':
      return `user ${email} is now an administrator`;
    case 'renewed':
      return `credentials of administrator ${email} updated`;
    case 'kept':
      return `administrator ${email} unchanged`;
    case 'absent':
      return `an administrator already exists; no user has the e-mail address ${email} (ADMIN_EMAIL)`;
  }
};

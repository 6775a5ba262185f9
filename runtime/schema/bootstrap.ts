/** Creates or reconciles the system tables and the first administrator. Additive and idempotent. */
import type { Catalog } from '../../generator/introspection/catalog.js';
import type { Spec } from '../../generator/spec/types.js';
import { findAdministrators } from '../execute/administrators.js';
import { findRow, insertRow, type Statements } from '../execute/system-rows.js';
import type { Database } from '../databases/contract.js';
import { hashPassword, verifyPassword } from '../auth/passwords/hash.js';
import { convertTokens, type StaticTokens } from '../auth/static-tokens.js';
import { runDataSteps } from './data-steps.js';
import { loadDdlPrinter } from '../databases/open.js';
import { planTables, type DdlStep } from './reconcile.js';
import { systemTables } from './system-tables.js';
import {
  changeAccessRows,
  createPassword,
  createToken,
  ensureAdministratorRole,
  findUser,
  insertUser,
  updateUser,
  type FoundUser,
} from './users.js';

export interface BootstrapOptions {
  readonly database: Database;
  readonly spec: Spec;
  /** Reads the current tables. */
  readonly introspect: () => Promise<Catalog>;
  /** `null`: generated and reported, if there is none yet. */
  readonly admin: { readonly email: string; readonly token: string | null; readonly password: string | null };
  readonly staticTokens: StaticTokens;
  /** Called before every step. */
  readonly log: (message: string) => void;
}

export interface BootstrapReport {
  /** Completed steps in order; empty if nothing was missing. */
  readonly steps: readonly string[];
  readonly admin: AdminReport;
}

interface AdminReport {
  readonly email: string;
  /** The token, only if this run generated or set it; never shown again. */
  readonly token: string | null;
  /** The password, under the same condition as `token`. */
  readonly password: string | null;
  /** `kept`: an administrator exists. `absent`: one exists, and no user has the configured e-mail address. */
  readonly state: 'created' | 'promoted' | 'renewed' | 'kept' | 'absent';
}

/**
 * Runs under a lock, so that concurrent starts are serialized and the second finds nothing to do. Where DDL
 * cannot be rolled back, the next run completes an interrupted one.
 */
export const bootstrap = (options: BootstrapOptions): Promise<BootstrapReport> =>
  options.database.locked('svc_bootstrap', async () => {
    const steps = await reconcile(options);
    const admin = await ensureAdministrator(options);
    const converted = await storeTokens(options);
    return { steps: [...steps, ...converted], admin };
  });

/** Stores tokens as configured; they stay valid. */
const storeTokens = async ({ database, staticTokens }: BootstrapOptions): Promise<readonly string[]> => {
  const converted = await changeAccessRows(database, (statements) => convertTokens(statements, staticTokens));
  return converted === 0 ? [] : [`hash ${converted} static tokens`];
};

const reconcile = async ({
  database,
  spec,
  introspect,
  log,
}: BootstrapOptions): Promise<readonly string[]> => {
  const catalog = await introspect();
  const steps = planTables(systemTables(spec), catalog, await loadDdlPrinter(database.dialect));
  for (const step of steps) {
    log(step.description);
    await runStep(database, step);
  }
  const tables = new Set(catalog.tables.map(({ name }) => name));
  const dataSteps = await runDataSteps(database, { tables, log });
  await ensureVersionRow(database);
  return [...steps.map((step) => step.description), ...dataSteps];
};

const ensureVersionRow = async (database: Database): Promise<void> => {
  const found = await findRow(database, 'svc_access_version', { where: { id: 1 } });
  if (found === undefined) await insertRow(database, 'svc_access_version', { id: 1, version: 1 });
};

const runStep = async (database: Database, step: DdlStep): Promise<void> => {
  try {
    await database.write({ text: step.sql, values: [] });
  } catch (error) {
    throw new Error(`${step.description} failed: ${(error as Error).message}\n${step.sql}`, { cause: error });
  }
};

const ensureAdministrator = ({
  database,
  admin,
  staticTokens,
  log,
}: BootstrapOptions): Promise<AdminReport> =>
  changeAccessRows(database, async (statements) => {
    const user = await findUser(statements, admin.email);
    if ((await findAdministrators(statements)).length > 0)
      return updateCredentials(statements, { admin, user, staticTokens });
    log(`create the administrator ${admin.email}`);
    const role = await ensureAdministratorRole(statements);
    if (user === null) {
      const token = admin.token ?? createToken();
      const password = admin.password ?? createPassword();
      const { email } = admin;
      await insertUser(statements, { email, role, ...(await changesOf({ token, password }, staticTokens)) });
      return { email: admin.email, token, password, state: 'created' };
    }
    const token = admin.token ?? (user.token === null ? createToken() : null);
    const password = admin.password ?? (user.password === null ? createPassword() : null);
    await updateUser(statements, user.id, { role, ...(await changesOf({ token, password }, staticTokens)) });
    return { email: admin.email, token, password, state: 'promoted' };
  });

/** Sets configured values that differ from the stored ones. */
const updateCredentials = async (
  statements: Statements,
  {
    admin,
    user,
    staticTokens,
  }: Pick<BootstrapOptions, 'admin' | 'staticTokens'> & {
    readonly user: FoundUser | null;
  },
): Promise<AdminReport> => {
  const { email } = admin;
  if (user === null) return { email, token: null, password: null, state: 'absent' };
  const forms = admin.token === null ? [] : await staticTokens.storedForms(admin.token);
  const token = forms.some((form) => form === user.token) ? null : admin.token;
  const isKnown = admin.password === null || (await verifyPassword(user.password, admin.password));
  const password = isKnown ? null : admin.password;
  if (token === null && password === null) return { email, token, password, state: 'kept' };
  await updateUser(statements, user.id, await changesOf({ token, password }, staticTokens));
  return { email, token, password, state: 'renewed' };
};

const changesOf = async (
  { token, password }: Pick<AdminReport, 'token' | 'password'>,
  { toStored }: StaticTokens,
) => ({
  ...(token === null ? {} : { token: await toStored(token) }),
  ...(password === null ? {} : { password: await hashPassword(password) }),
});

/** Returns the steps that `svc bootstrap` would take; a start is refused while there are any. */
export const pendingSteps = async (spec: Spec, catalog: Catalog): Promise<readonly string[]> => {
  const printer = await loadDdlPrinter(catalog.dialect);
  return planTables(systemTables(spec), catalog, printer).map((step) => step.description);
};

/** Prints pending steps: `the system tables are missing or outdated: create svc_users; run "svc bootstrap"`. */
export const pendingStepsToText = (steps: readonly string[]): string => {
  const shown = steps.slice(0, 3).join(', ') + (steps.length > 3 ? `, … (${steps.length} steps)` : '');
  return `the system tables are missing or outdated: ${shown}; run "svc bootstrap"`;
};

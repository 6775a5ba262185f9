/** Users of a database who may do less than its owner. */
import type { TestDialect } from './databases.js';

interface LimitedUserOptions {
  /** The database and its script runner, as its owner. */
  readonly url: string;
  readonly execute: (script: string) => Promise<void>;
  /** Rights on all tables, such as `select, insert`. */
  readonly rights: string;
}

interface LimitedUser {
  /** The database as that user. */
  readonly url: string;
  drop(): Promise<void>;
}

let users = 0;

export const createLimitedUser = async (
  dialect: Exclude<TestDialect, 'sqlite'>,
  { url, execute, rights }: LimitedUserOptions,
): Promise<LimitedUser> => {
  const limited = new URL(url);
  users += 1;
  const name = `svc_limited_${process.pid}_${users}`;
  [limited.username, limited.password] = [name, 'pw'];
  await execute(
    dialect === 'postgres'
      ? `create role ${name} login password 'pw'; grant ${rights} on all tables in schema public to ${name}; grant usage on all sequences in schema public to ${name}`
      : `create user ${name}@'%' identified by 'pw'; grant ${rights} on ${limited.pathname.slice(1)}.* to ${name}@'%'`,
  );
  const drop = dialect === 'postgres' ? `drop owned by ${name}; drop role ${name}` : `drop user ${name}@'%'`;
  return { url: limited.href, drop: () => execute(drop) };
};

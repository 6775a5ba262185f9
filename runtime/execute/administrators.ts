/**
 * Finds administrators: active users with a policy that has `admin_access`, directly or through a role or its
 * ancestors.
 */
import type { Statements } from './system-rows.js';

/**
 * Returns the e-mail addresses of at most ten administrators in order, or their keys where they have none.
 */
export const findAdministrators = async (statements: Statements): Promise<readonly string[]> => {
  const rows = await statements.query(administratorsSql(statements.quote));
  // collations ignore case and trailing spaces, access does not
  const active = rows.filter(({ status }) => status === 'active');
  return active.slice(0, 10).map((row) => String(row.email ?? row.id));
};

const administratorsSql = (quote: (name: string) => string): string => `
  with recursive holders (policy, role, holder) as (
    select svc_access.policy, svc_access.role, svc_access.${quote('user')}
    from svc_access join svc_policies on svc_policies.id = svc_access.policy
    where svc_policies.admin_access is true
    union
    select holders.policy, svc_roles.id, null from holders join svc_roles on svc_roles.parent = holders.role
  )
  select distinct svc_users.id, svc_users.email, svc_users.status from svc_users
  join holders on holders.holder = svc_users.id or holders.role = svc_users.role
  where svc_users.status = 'active' order by svc_users.email`;

/** `svc access …`: evaluates access rules without an HTTP request. */
import { Command, Option } from 'commander';
import { explainAccess, type Explanation, type PolicyExplanation } from '../access/explain.js';
import type { Permission } from '../access/grant.js';
import type { Action } from '../access/policies.js';
import { findByEmail } from '../auth/accounts.js';
import type { Config } from '../config/config.js';
import { findUserRow, loadRows, rowToUser } from '../execute/access-source.js';
import type { Database } from '../databases/contract.js';
import { specFolders } from '../config/paths.js';
import { Refusal } from '../config/refusal.js';
import { modelToScope } from '../doctor/model-scope.js';
import { findPermissionFaults } from '../plan/rule-faults.js';
import { action, printLine, printJson } from './output.js';
import { withDatabase } from './with-database.js';

/** Creates `svc access`. `explain` exits with 1 where the action is not permitted. */
export const accessCommand = (): Command =>
  new Command('access').description('inspect access rules').addCommand(explainCommand());

interface ExplainOptions {
  readonly user: string;
  readonly collection: string;
  readonly action: Action;
  readonly json?: true;
}

const explainCommand = (): Command =>
  new Command('explain')
    .description('explain which rules allow an action to a user; exits with 1 if none does')
    .requiredOption('--user <email>', 'e-mail address of the user')
    .requiredOption('--collection <name>', 'name of the collection')
    .addOption(
      new Option('--action <name>', 'action to explain')
        .choices(['create', 'read', 'update', 'delete'])
        .makeOptionMandatory(),
    )
    .option('--json', 'print the explanation as JSON')
    .action(
      action(async (options: ExplainOptions) => {
        const explanation = await explain(options);
        if (options.json === true) printJson({ ...options, ...explanation, json: undefined });
        else printLine(toText(explanation, options));
        return explanation.access === 'none' ? 1 : 0;
      }),
    );

const explain = ({
  user: email,
  collection: name,
  action: requested,
}: ExplainOptions): Promise<Explanation> =>
  withDatabase(async (database, config) => {
    const { id } = (await findByEmail(database, email)) ?? {};
    const row = id === undefined ? undefined : await findUserRow(database, id);
    if (row === undefined) throw new Refusal(`there is no user ${email}`);
    const user = rowToUser(row);
    if (user.status !== 'active')
      throw new Refusal(`${email} has the status "${user.status}", which allows nothing`);
    const { collection, findFaults } = await findCollection(name, database, config);
    return explainAccess(await loadRows(database), { user, collection, action: requested, findFaults });
  });

/**
 * Returns a collection as it would be served, and a function that finds the faults of a permission. Views and keyless tables
 * are read-only.
 */
const findCollection = async (name: string, reader: Database, { tables }: Config) => {
  const [{ readCatalog }, { loadSpec }, { buildModel }, { suggest }] = await Promise.all([
    import('../../generator/main.js'),
    import('../../generator/spec/load.js'),
    import('../../generator/model/build.js'),
    import('../../generator/spec/faults.js'),
  ]);
  const spec = await loadSpec(specFolders());
  const catalog = await readCatalog({ ...tables, reader }, spec);
  const { collections } = buildModel({ catalog, spec, ignoresOutdated: true }).model;
  const found = collections.find((each) => each.name === name);
  if (found !== undefined) {
    const collection = { name, readonly: found.readonly || found.key.length === 0 };
    const { findNames } = modelToScope(collections);
    return {
      collection,
      findFaults: (permission: Permission) => findPermissionFaults(permission, findNames),
    };
  }
  const remedy = suggest(
    name,
    collections.map((each) => each.name),
    'collections are named after tables and views',
  );
  throw new Refusal(`there is no collection "${name}"; ${remedy}`);
};

const toText = (
  explanation: Explanation,
  { user, collection, action: requested }: ExplainOptions,
): string => {
  const { access, policies, readonly, addresses, pending } = explanation;
  if (access === 'none')
    return `${user} may not ${requested} ${collection}: ${readonly && requested !== 'read' ? 'it is read-only' : 'no policy allows it'}`;
  const conditions = [
    `${user} may ${requested} ${access === 'full' ? 'every field of every item' : 'some fields or items'} of ${collection}`,
    ...(addresses.length === 0 ? [] : [`only from ${addresses.join(', ')}`]),
    ...(pending ? ['only after turning on one-time passwords'] : []),
  ];
  return [conditions.join(', '), ...policies.flatMap(policyToLines)].join('\n');
};

const policyToLines = ({ name, heldBy, admin, addresses, permissions }: PolicyExplanation): string[] => [
  '',
  `policy "${name}", held by ${heldBy.join(' and ')}${addresses.length === 0 ? '' : `, from ${addresses.join(', ')} only`}`,
  ...(admin ? ['  administrator: everything'] : []),
  ...permissions.flatMap((permission, index) => [
    ...(index === 0 ? [] : ['  or']),
    `  fields      ${permission.fields?.join(', ') ?? 'none'}`,
    `  items       ${isEmpty(permission.permissions) ? 'all' : JSON.stringify(permission.permissions)}`,
    ...(isEmpty(permission.validation) ? [] : [`  validation  ${JSON.stringify(permission.validation)}`]),
    ...(isEmpty(permission.presets) ? [] : [`  presets     ${JSON.stringify(permission.presets)}`]),
    ...permission.faults.map(({ part, problem }) => `  warning     in "${part}": ${problem}`),
  ]),
];

const isEmpty = (rule: Readonly<Record<string, unknown>> | null): boolean =>
  rule === null || Object.keys(rule).length === 0;

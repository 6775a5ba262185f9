/** `svc access …`: what the rules say, without asking over HTTP. */
import { Command, Option } from 'commander';
import { explainAccess, type Explanation, type PolicyExplanation } from '../access/explain.js';
import type { Action } from '../access/policies.js';
import { loadRows } from '../execute/access-source.js';
import { Refusal } from '../refusal.js';
import { loadDialect } from '../sql/dialects.js';
import { action, say, sayJson } from './output.js';
import { withDatabase } from './with-database.js';

export const accessCommand = (): Command =>
  new Command('access').description('look at the rules').addCommand(explainCommand());

interface ExplainOptions {
  readonly user: string;
  readonly collection: string;
  readonly action: Action;
  readonly json?: true;
}

const explainCommand = (): Command =>
  new Command('explain')
    .description('say which rule allows a user what; exit code 1 where none does')
    .requiredOption('--user <email>', 'the user')
    .requiredOption('--collection <name>', 'the collection')
    .addOption(
      new Option('--action <name>', 'what is to be done')
        .choices(['create', 'read', 'update', 'delete'])
        .makeOptionMandatory(),
    )
    .option('--json', 'print the explanation as JSON')
    .action(
      action(async (options: ExplainOptions) => {
        const explanation = await explain(options);
        if (options.json === true) sayJson({ ...options, ...explanation, json: undefined });
        else say(toText(explanation, options));
        return explanation.access === 'none' ? 1 : 0;
      }),
    );

const explain = ({ user: email, collection, action: asked }: ExplainOptions): Promise<Explanation> =>
  withDatabase(async (database) => {
    const { quote } = await loadDialect(database.dialect);
    const [row] = await database.query('select id, role, status from svc_users where email = ?', [email]);
    if (row === undefined) throw new Refusal(`there is no user ${email}`);
    if (row.status !== 'active') throw new Refusal(`${email} is "${String(row.status)}": nothing is allowed`);
    const user = { id: String(row.id), role: row.role === null ? null : String(row.role) };
    return explainAccess(await loadRows(database, quote), { user, collection, action: asked });
  });

const toText = (
  { access, policies }: Explanation,
  { user, collection, action: asked }: ExplainOptions,
): string =>
  [
    access === 'none'
      ? `${user} may not ${asked} ${collection}: no policy says so`
      : `${user} may ${asked} ${access === 'full' ? 'every field of every item' : 'some'} of ${collection}`,
    ...policies.flatMap(policyToLines),
  ].join('\n');

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
  ]),
];

const isEmpty = (rule: Readonly<Record<string, unknown>> | null): boolean =>
  rule === null || Object.keys(rule).length === 0;

/** `svc schema …`: snapshot, difference and apply of a database, or of a running instance. */
import { readFile, writeFile } from 'node:fs/promises';
import { createInterface } from 'node:readline/promises';
import { Command, Option } from 'commander';
import { Refusal } from '../../config/refusal.js';
import type { ExplainedPhase } from '../../schema/explain/phases.js';
import type { Difference } from '../../schema/service.js';
import { loadWorkflows } from '../../operations/apply-workflows.js';
import type { DescribedApply } from '../../schema/apply/describe.js';
import { action, printJson, printLine } from '../output.js';
import { withDatabase } from '../with-database.js';
import { refusing } from '../api-refusals.js';
import { urlOption, type RemoteFlags } from '../remote.js';
import { adminTokenOption, withInstance, type Instance } from './instance.js';
import { watchCommand } from './watch.js';
import { printWhole } from './print-explanation.js';
import { printScript } from './print-script.js';
import { printDiff, printExplanation, printLosses, printLost } from './print.js';

/** Creates `svc schema`. `diff` exits with 1 where there are differences. */
export const schemaCommand = (): Command =>
  new Command('schema')
    .description('take, compare and apply snapshots of the schema')
    .addCommand(snapshotCommand())
    .addCommand(diffCommand())
    .addCommand(applyCommand())
    .addCommand(transferCommand('pull', 'change the database to match a running instance'))
    .addCommand(transferCommand('push', 'change a running instance to match the database'))
    .addCommand(statusCommand())
    .addCommand(watchCommand());

const includeOption = (): Option =>
  new Option('--include <what>', 'access: roles, policies and permissions too').choices(['access']);

const snapshotCommand = (): Command =>
  new Command('snapshot')
    .description('print a snapshot, or write it to a file: YAML, or JSON for a name that ends in .json')
    .argument('[file]', 'file to write')
    .addOption(includeOption())
    .addOption(urlOption())
    .addOption(adminTokenOption())
    .action(
      action(
        async (
          file: string | undefined,
          { include, ...flags }: RemoteFlags & { readonly include?: 'access' },
        ) => {
          const { printSnapshot } = await import('../../schema/snapshot/file.js');
          const snapshot = await withInstance(flags, (instance) => instance.snapshot(include));
          const text = printSnapshot(snapshot, file?.endsWith('.json') === true ? 'json' : 'yaml');
          if (file === undefined) process.stdout.write(text);
          else await writeFile(file, text);
          return 0;
        },
      ),
    );

interface DiffFlags extends RemoteFlags {
  readonly force?: true;
  readonly mode: 'mirror' | 'merge';
  readonly json?: true;
  readonly sql?: true;
  readonly phase?: ExplainedPhase['phase'];
  readonly explain?: true | 'exact';
}

const modeOption = (): Option =>
  new Option('--mode <mode>', 'mirror drops what the snapshot lacks, merge drops nothing')
    .choices(['mirror', 'merge'])
    .default('mirror');

const forceOption = (): Option =>
  new Option('--force', 'accept snapshots of other versions and database vendors');

const sqlOption = (): Option =>
  new Option('--sql', 'print the statements of an apply as a file, to be run by hand');

const phaseOption = (): Option =>
  new Option(
    '--phase <phase>',
    'with --sql: only what is new (expand), or what follows when all servers serve that (contract)',
  ).choices(['expand', 'contract']);

const explainOption = (): Option =>
  new Option(
    '--explain [how]',
    'print the cost of each change and the statements of each phase; exact: as the server tells it, on empty copies of the tables',
  ).choices(['exact']);

const readSnapshot = async (file: string): Promise<unknown> => {
  const { parseDocument } = await import('../../request/upload.js');
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new Refusal(`${file} cannot be read: ${error.code ?? error.message}`);
  });
  return refusing(async () => parseDocument(text));
};

const compare = (snapshot: unknown, flags: DiffFlags, instance: Instance): Promise<Difference | null> =>
  instance.diff(snapshot, {
    force: flags.force === true,
    mode: flags.mode,
    explain: flags.explain === 'exact' ? 'exact' : true,
  });

const printDifference = (
  difference: Difference | null,
  { json, sql, phase, explain: how }: DiffFlags,
): void => {
  if (json === true) return printJson(difference);
  if (difference === null) return printLine(sql === true ? '' : 'no difference');
  const { diff, explain, losses = [] } = difference;
  if (sql === true) return printLine((explain === undefined ? [] : printScript(explain, phase)).join('\n'));
  printLine(printDiff(diff));
  const notes = [
    ...printLosses(losses),
    ...(explain === undefined ? [] : printExplanation(explain)),
    ...(explain === undefined || how === undefined ? [] : printWhole(explain)),
  ];
  if (notes.length > 0) printLine(['', ...notes].join('\n'));
};

const diffCommand = (): Command =>
  new Command('diff')
    .description('print the difference between the database and a snapshot; exits with 1 if there is one')
    .argument('<file>', 'snapshot in YAML or JSON')
    .addOption(modeOption())
    .addOption(forceOption())
    .option('--json', 'print the difference as JSON, as the API takes it')
    .addOption(explainOption())
    .addOption(sqlOption())
    .addOption(phaseOption())
    .addOption(urlOption())
    .addOption(adminTokenOption())
    .action(
      action(async (file: string, flags: DiffFlags) => {
        const snapshot = await readSnapshot(file);
        const difference = await withInstance(flags, (instance) => compare(snapshot, flags, instance));
        printDifference(difference, flags);
        return difference === null ? 0 : 1;
      }),
    );

interface ApplyFlags extends DiffFlags {
  readonly yes?: true;
  readonly dryRun?: true;
  readonly acceptLoss?: true;
}

const addApplyOptions = (command: Command): Command =>
  command
    .addOption(modeOption())
    .addOption(forceOption())
    .option('--yes', 'apply without asking')
    .option('--dry-run', 'print the difference and what it costs, and change nothing')
    .option('--accept-loss', 'shorten and convert values that do not fit the new type of their field');

const applyCommand = (): Command =>
  addApplyOptions(new Command('apply'))
    .description('change the database to match a snapshot')
    .argument('[file]', 'snapshot in YAML or JSON')
    .option('--resume', 'complete an apply that was cut off')
    .option(
      '--abandon',
      'give up an apply that was cut off or that a worker runs, and leave the schema as it is',
    )
    .addOption(urlOption())
    .addOption(adminTokenOption())
    .action(
      action(
        async (
          file: string | undefined,
          flags: ApplyFlags & { readonly resume?: true; readonly abandon?: true },
        ) => {
          if (flags.url !== undefined && (flags.resume === true || flags.abandon === true))
            throw new Refusal(
              '--resume and --abandon work on the database of DATABASE_URL; run them there, without --url',
            );
          if (flags.resume === true) return resume();
          if (flags.abandon === true) return abandon();
          if (file === undefined) throw new Refusal('name a snapshot, or send --resume or --abandon');
          const snapshot = await readSnapshot(file);
          return withInstance(flags, (instance) => makeSame(snapshot, flags, instance));
        },
      ),
    );

/** Makes an instance that of a snapshot, once a person or `--yes` agrees. */
const makeSame = async (snapshot: unknown, flags: ApplyFlags, instance: Instance): Promise<0> => {
  const difference = await compare(snapshot, flags, instance);
  printDifference(difference, flags);
  if (difference === null || flags.dryRun === true) return 0;
  if (flags.yes !== true && !(await agrees(difference, flags)))
    throw new Refusal('nothing was applied; send --yes to apply this difference');
  await instance.apply(difference, { acceptLoss: flags.acceptLoss === true });
  printLine('applied');
  return 0;
};

/** Lists what is lost, and asks on a terminal; nobody answers elsewhere. */
const agrees = async ({ explain }: Difference, { acceptLoss }: ApplyFlags): Promise<boolean> => {
  if (!process.stdin.isTTY || !process.stdout.isTTY) return false;
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const lost = explain === undefined ? [] : printLost(explain, { acceptLoss: acceptLoss === true });
  const list = lost.length === 0 ? '' : ['This loses:', ...lost.map((line) => `  ${line}`), ''].join('\n');
  const answer = await terminal.question(`\n${list}Apply this? (yes/no) `);
  terminal.close();
  return answer.trim().toLowerCase() === 'yes';
};

const transferCommand = (name: 'pull' | 'push', description: string): Command =>
  addApplyOptions(new Command(name))
    .description(description)
    .addOption(includeOption())
    .addOption(urlOption().makeOptionMandatory())
    .addOption(adminTokenOption())
    .action(
      action(async ({ include, ...flags }: ApplyFlags & { readonly include?: 'access' }) =>
        withInstance({}, (own) =>
          withInstance(flags, async (other) => {
            const [from, to] = name === 'pull' ? [other, own] : [own, other];
            return makeSame(await from.snapshot(include), flags, to);
          }),
        ),
      ),
    );

const resume = (): Promise<0> =>
  withDatabase<0>(async (database, { tables, schemaApplyWait: wait }) => {
    const { resumeApply, describeApplies } = await import('../../schema/service.js');
    const found = await refusing(() => resumeApply({ database, tables, wait, user: null }));
    const [last] = found ? await describeApplies(database, 1) : [];
    if (last?.state === 'failed')
      throw new Refusal('the apply was cut off, and nothing was changed; apply again');
    printLine(found ? 'the apply that was cut off has ended' : 'no apply was cut off');
    return 0;
  });

const abandon = (): Promise<0> =>
  withDatabase<0>(async (database, config) => {
    const { abandonApply } = await import('../../schema/service.js');
    const workflows = await loadWorkflows(config);
    const options = { database, tables: config.tables, user: null, workflows };
    const found = await refusing(() => abandonApply(options));
    printLine(found ? 'the apply is given up' : 'no apply was running or cut off');
    return 0;
  });

const applyToLine = ({ state, steps, steps_done: done, step, worker, error }: DescribedApply): string =>
  [
    // an embedded database does not note its steps, which are one transaction
    steps === 0 ? state : `${state}: ${done} of ${steps} steps`,
    ...(step === null ? [] : [step]),
    ...(worker === null ? [] : [`by the worker ${worker}`]),
    ...(error === null ? [] : [error]),
  ].join(', ');

const statusCommand = (): Command =>
  new Command('status')
    .description('print the last apply')
    .option('--json', 'print it as JSON')
    .addOption(urlOption())
    .addOption(adminTokenOption())
    .action(
      action(async ({ json, ...flags }: RemoteFlags & { readonly json?: true }) => {
        const apply = await withInstance(flags, (instance) => instance.lastApply());
        if (json === true) printJson(apply ?? null);
        else printLine(apply === undefined ? 'nothing was applied yet' : applyToLine(apply));
        return 0;
      }),
    );

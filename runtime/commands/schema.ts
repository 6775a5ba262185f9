/** `svc schema …`: snapshot, difference and apply of the database, without a server. */
import { readFile, writeFile } from 'node:fs/promises';
import { Command, Option } from 'commander';
import type { Config } from '../config/config.js';
import { Refusal } from '../config/refusal.js';
import { ApiError, ApiErrors } from '../../contract/errors.js';
import type { Database } from '../databases/contract.js';
import { accessLists } from '../schema/access-rows/types.js';
import type { Change, SchemaDiff } from '../schema/diff/types.js';
import type { Difference } from '../schema/service.js';
import { action, createProgress, printJson, printLine } from './output.js';
import { withDatabase } from './with-database.js';

export const schemaCommand = (): Command =>
  new Command('schema')
    .description('take, compare and apply snapshots of the schema')
    .addCommand(snapshotCommand())
    .addCommand(diffCommand())
    .addCommand(applyCommand())
    .addCommand(statusCommand());

const servicesOf = (database: Database, { tables }: Config) => ({ database, tables });

/** Turns what the schema refuses into a refusal of the command. */
const refusing = async <Result>(body: () => Promise<Result>): Promise<Result> => {
  try {
    return await body();
  } catch (error) {
    if (error instanceof ApiErrors)
      throw new Refusal(error.problems.map(({ message }) => message).join('\n'));
    throw error instanceof ApiError ? new Refusal(error.message) : error;
  }
};

const snapshotCommand = (): Command =>
  new Command('snapshot')
    .description('print a snapshot, or write it to a file: YAML, or JSON for a name that ends in .json')
    .argument('[file]', 'file to write')
    .addOption(
      new Option('--include <what>', 'access: roles, policies and permissions too').choices(['access']),
    )
    .action(
      action(async (file: string | undefined, { include }: { readonly include?: 'access' }) => {
        const { takeSnapshot } = await import('../schema/service.js');
        const { printSnapshot } = await import('../schema/snapshot/file.js');
        const snapshot = await withDatabase((database, config) =>
          takeSnapshot(servicesOf(database, config), include === undefined ? [] : [include]),
        );
        const text = printSnapshot(snapshot, file?.endsWith('.json') === true ? 'json' : 'yaml');
        if (file === undefined) process.stdout.write(text);
        else await writeFile(file, text);
        return 0;
      }),
    );

interface DiffFlags {
  readonly force?: true;
  readonly mode: 'mirror' | 'merge';
  readonly json?: true;
}

const modeOption = (): Option =>
  new Option('--mode <mode>', 'mirror drops what the snapshot lacks, merge drops nothing')
    .choices(['mirror', 'merge'])
    .default('mirror');

const forceOption = (): Option =>
  new Option('--force', 'accept snapshots of other versions and database vendors');

const readDifference = async (
  file: string,
  { force, mode }: DiffFlags,
  services: ReturnType<typeof servicesOf>,
): Promise<Difference | null> => {
  const [{ diffSnapshot }, { parseDocument }] = await Promise.all([
    import('../schema/service.js'),
    import('../request/upload.js'),
  ]);
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new Refusal(`${file} cannot be read: ${error.code ?? error.message}`);
  });
  return refusing(() => diffSnapshot(parseDocument(text), { force: force === true, mode }, services));
};

const diffCommand = (): Command =>
  new Command('diff')
    .description(
      'print what would make the database that of a snapshot; exits with 1 if there is a difference',
    )
    .argument('<file>', 'snapshot in YAML or JSON')
    .addOption(modeOption())
    .addOption(forceOption())
    .option('--json', 'print the difference as JSON, as the API takes it')
    .action(
      action(async (file: string, flags: DiffFlags) => {
        const difference = await withDatabase((database, config) =>
          readDifference(file, flags, servicesOf(database, config)),
        );
        if (flags.json === true) printJson(difference);
        else printLine(difference === null ? 'no difference' : printDiff(difference.diff));
        return difference === null ? 0 : 1;
      }),
    );

interface ApplyFlags extends DiffFlags {
  readonly yes?: true;
  readonly acceptLoss?: true;
  readonly resume?: true;
  readonly abandon?: true;
}

const applyCommand = (): Command =>
  new Command('apply')
    .description('make the database that of a snapshot; prints the difference alone without --yes')
    .argument('[file]', 'snapshot in YAML or JSON')
    .addOption(modeOption())
    .addOption(forceOption())
    .option('--yes', 'apply the difference')
    .option('--resume', 'complete an apply that was cut off')
    .option('--abandon', 'give up an apply that was cut off, and leave the schema as it is')
    .option('--accept-loss', 'shorten and convert values that do not fit the new type of their field')
    .action(
      action(async (file: string | undefined, flags: ApplyFlags) =>
        withDatabase(async (database, config) => {
          const services = servicesOf(database, config);
          if (flags.resume === true) return resume(services);
          if (flags.abandon === true) return abandon(services);
          if (file === undefined) throw new Refusal('name a snapshot, or send --resume or --abandon');
          const difference = await readDifference(file, flags, services);
          printLine(difference === null ? 'no difference' : printDiff(difference.diff));
          if (difference === null) return 0;
          if (flags.yes !== true)
            throw new Refusal('nothing was applied; send --yes to apply this difference');
          await apply(difference, flags, services);
          return 0;
        }),
      ),
    );

const apply = async (
  { hash, diff }: Difference,
  { acceptLoss }: ApplyFlags,
  services: ReturnType<typeof servicesOf>,
): Promise<void> => {
  const { applyDifference } = await import('../schema/service.js');
  const progress = createProgress();
  await refusing(() =>
    applyDifference(
      { hash, diff, accept_loss: acceptLoss === true },
      {
        ...services,
        user: null,
        onStep: ({ description }, { done, steps }) => progress.step(`${done + 1}/${steps} ${description}`),
      },
    ),
  );
  progress.done();
  printLine('applied; servers that run serve the new schema after a restart');
};

const resume = async (services: ReturnType<typeof servicesOf>): Promise<0> => {
  const { resumeApply } = await import('../schema/service.js');
  const found = await refusing(() => resumeApply({ ...services, user: null }));
  printLine(found ? 'the apply that was cut off has ended' : 'no apply was cut off');
  return 0;
};

const abandon = async (services: ReturnType<typeof servicesOf>): Promise<0> => {
  const { abandonApply } = await import('../schema/service.js');
  const found = await refusing(() => abandonApply({ ...services, user: null }));
  printLine(found ? 'the apply that was cut off is given up' : 'no apply was cut off');
  return 0;
};

const statusCommand = (): Command =>
  new Command('status')
    .description('print the last apply')
    .option('--json', 'print it as JSON')
    .action(
      action(async ({ json }: { readonly json?: true }) => {
        const { lastApply } = await import('../schema/apply/applies.js');
        const row = await withDatabase((database) => lastApply(database));
        const shown = row === undefined ? null : { ...row, diff: undefined, wanted: undefined };
        if (json === true) printJson(shown);
        else if (row === undefined) printLine('nothing was applied yet');
        else
          printLine(
            `${row.state}: ${row.steps_done} of ${row.steps} steps${row.step === null ? '' : `, ${row.step}`}`,
          );
        return 0;
      }),
    );

const marks = { N: '+', D: '-', E: '~', A: '~' } as const;

/** Prints one line for each change: `+` new, `-` dropped, `~` changed. */
const printDiff = ({ collections, fields, relations, ...rest }: SchemaDiff): string =>
  [
    ...collections.flatMap(({ collection, diff }) =>
      diff.map((change) => printChange(`collection ${collection}`, change)),
    ),
    ...fields.flatMap(({ collection, field, diff }) =>
      diff.map((change) => printChange(`field ${collection}.${field}`, change)),
    ),
    ...relations.flatMap(({ collection, field, diff }) =>
      diff.map((change) => printChange(`relation ${collection}.${field}`, change)),
    ),
    ...accessLists.flatMap((list) =>
      (rest[list] ?? []).flatMap(({ id, diff }) =>
        diff.map((change) => printChange(`${list} ${id}`, change)),
      ),
    ),
  ].join('\n');

const printChange = (what: string, change: Change): string => {
  const place = change.path === undefined ? '' : ` ${change.path.join('.')}`;
  if (change.kind !== 'E') return `${marks[change.kind]} ${what}${place}`;
  return `~ ${what}${place}: ${JSON.stringify(change.lhs)} → ${JSON.stringify(change.rhs)}`;
};

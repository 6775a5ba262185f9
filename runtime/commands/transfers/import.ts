/** `svc import`: stores the rows of a file. */
import { Command, Option } from 'commander';
import { plural } from '../../../contract/plural.js';
import { Refusal } from '../../config/refusal.js';
import { action, printJson, printLine } from '../output.js';
import { chooseFormat, openSource, requireWritable, withFolder } from './files.js';
import { addTargetOptions, problemsOf, runTransfer, type TargetFlags, type TransferEnd } from './target.js';

interface Flags extends TargetFlags {
  readonly format?: string;
  readonly mapping?: string;
  readonly delimiter?: string;
  readonly onError?: 'stop' | 'report';
  readonly onConflict?: 'update' | 'ignore';
  readonly conflict?: string;
  readonly rejected?: string;
  readonly dryRun?: true;
  readonly json?: true;
}

const endings = { csv: 'csv', json: 'json', ndjson: 'ndjson', jsonl: 'ndjson' } as const;

/** Creates `svc import`. The rows that are left out are listed in a file of their own. */
export const importCommand = (): Command =>
  addTargetOptions(new Command('import'))
    .description('store the rows of a file; exits with 1 if rows are left out')
    .argument('<collection>')
    .argument('<file>', 'CSV, JSON or NDJSON, which may end in .gz; - is stdin')
    .option('--format <format>', 'csv, json or ndjson (default: as the name of the file says)')
    .option('--mapping <json>', 'fields of columns, such as {"Title":"Name","Note":null}')
    .option('--delimiter <character>', 'separates the cells of CSV: , ; | or a tab')
    .addOption(
      new Option(
        '--on-error <what>',
        'stop at the first row that cannot be stored, or leave such rows out',
      ).choices(['stop', 'report']),
    )
    .addOption(
      new Option('--on-conflict <what>', 'change or leave items that are stored already').choices([
        'update',
        'ignore',
      ]),
    )
    .option('--conflict <fields>', 'the unique fields that find such items (default: the key)')
    .option('--rejected <file>', 'where the rows that are left out are listed (default: FILE.rejected.csv)')
    .option('--dry-run', 'check the rows and store nothing')
    .option('--json', 'print the result as JSON')
    .action(
      action(async (collection: string, file: string, flags: Flags) => {
        const format = chooseFormat({ format: flags.format, file }, endings);
        const rejected = flags.rejected ?? `${file === '-' ? 'stdin' : file}.rejected.csv`;
        if (flags.onError === 'report') await requireWritable(rejected);
        const end = await withFolder(async (folder) => {
          const order = { collection, path: await openSource(file, folder), format, rejected };
          const parameters = toParameters(flags, format);
          return runTransfer(flags, (target, control) => target.import({ ...order, parameters }, control));
        });
        return report(end, { rejected, json: flags.json === true });
      }),
    );

const toParameters = (flags: Flags, format: string): URLSearchParams => {
  const { mapping, delimiter, onError, onConflict, conflict, dryRun } = flags;
  const given = { mapping, delimiter, on_error: onError, on_conflict: onConflict, conflict };
  const parameters = new URLSearchParams({ format });
  for (const [name, value] of Object.entries(given)) if (value !== undefined) parameters.set(name, value);
  if (dryRun === true) parameters.set('dry_run', 'true');
  return parameters;
};

interface ReportOptions {
  /** File with the rows that were left out, if there are any. */
  readonly rejected: string;
  readonly json: boolean;
}

const report = (end: TransferEnd, { rejected: file, json }: ReportOptions): 0 | 1 => {
  const { imported = 0, rejected = 0, rows, dry_run: isDry } = end.body;
  const problems = problemsOf(end);
  const hasRejected = Number(rejected) > 0;
  if (json) printJson({ ...end.body, ...(hasRejected && { rejected_rows: file }) });
  else {
    printLine(isDry === true ? `${countRows(rows)} can be imported` : `${countRows(imported)} imported`);
    if (hasRejected) printLine(`${countRows(rejected)} left out, listed in ${file}`);
  }
  if (problems.length > 0) throw new Refusal(problems.join('\n'));
  return hasRejected ? 1 : 0;
};

const countRows = (count: unknown): string => plural(Number(count), 'row');

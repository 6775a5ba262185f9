/** `svc export`: writes a list into a file. */
import { Command } from 'commander';
import type { ExportFormat } from '../../../contract/export-formats.js';
import { plural } from '../../../contract/plural.js';
import { Refusal } from '../../config/refusal.js';
import { action, printJson } from '../output.js';
import { chooseFormat, requireWritable } from './files.js';
import { addTargetOptions, problemsOf, runTransfer, type TargetFlags } from './target.js';

interface Flags extends TargetFlags {
  readonly format?: string;
  readonly fields?: string;
  readonly filter?: string;
  readonly sort?: string;
  readonly limit?: string;
  readonly json?: true;
}

const endings: Readonly<Record<string, ExportFormat>> = {
  csv: 'csv',
  csv_utf8: 'csv_utf8',
  json: 'json',
  ndjson: 'ndjson',
  jsonl: 'ndjson',
  xml: 'xml',
  yaml: 'yaml',
  yml: 'yaml',
};

/** Creates `svc export`, which writes the file whole or not at all. */
export const exportCommand = (): Command =>
  addTargetOptions(new Command('export'))
    .description('write a list into a file')
    .argument('<collection>')
    .argument('<file>', 'file to write, replaced if it exists; - is stdout')
    .option(
      '--format <format>',
      'csv, csv_utf8, json, ndjson, xml or yaml (default: as the name of the file says)',
    )
    .option('--fields <names>', 'fields of each item, separated by commas')
    .option('--filter <json>', 'only items that match, such as {"Name":{"_contains":"a"}}')
    .option('--sort <names>', 'fields to sort by; - before a name sorts descending')
    .option('--limit <number>', 'maximum number of items (default: all)')
    .option('--json', 'print the result as JSON')
    .action(
      action(async (collection: string, file: string, flags: Flags) => {
        const format = chooseFormat({ format: flags.format, file }, endings);
        const order = { collection, format, query: toQuery(flags), file };
        await requireWritable(file);
        const end = await runTransfer(flags, (target, control) => target.export(order, control));
        const problems = problemsOf(end);
        if (problems.length > 0) throw new Refusal(problems.join('\n'));
        const { rows } = end.body;
        if (flags.json === true && file !== '-') printJson({ rows, file });
        else process.stderr.write(`${plural(Number(rows), 'row')} exported\n`);
        return 0;
      }),
    );

const toQuery = ({ fields, filter, sort, limit }: Flags): Readonly<Record<string, unknown>> => ({
  ...(fields !== undefined && { fields: fields.split(',') }),
  ...(filter !== undefined && { filter: parseFilter(filter) }),
  ...(sort !== undefined && { sort: sort.split(',') }),
  ...(limit !== undefined && { limit: parseLimit(limit) }),
});

const parseFilter = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    throw new Refusal('--filter takes JSON, such as {"Name":{"_eq":"Rock"}}');
  }
};

const parseLimit = (text: string): number => {
  if (/^\d+$/.test(text)) return Number(text);
  throw new Refusal('--limit takes a whole number');
};

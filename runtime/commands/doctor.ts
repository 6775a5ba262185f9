/** `svc doctor`: examines a project and its database. */
import { Command } from 'commander';
import { plural } from '../../contract/plural.js';
import type { Finding } from '../doctor/check.js';
import type { Group } from '../doctor/run-checks.js';
import { action, limitLines, printJson, printLine } from './output.js';
import { withDatabase } from './with-database.js';

/** Creates `svc doctor`, which changes nothing in the database or the project. */
export const doctorCommand = (): Command =>
  new Command('doctor')
    .description('examine spec, database, rights, rules and generated output; exits with 1 for a problem')
    .option('--json', 'print the findings as JSON')
    .action(
      action(async ({ json }: { json?: true }) => {
        const { examine } = await import('../doctor/run-checks.js');
        const groups = await withDatabase(examine);
        if (json === true) printJson({ groups });
        else for (const line of groupsToLines(groups)) printLine(line);
        return count(groups, 'problem') === 0 ? 0 : 1;
      }),
    );

const count = (groups: readonly Group[], severity: Finding['severity']): number =>
  groups.flatMap(({ findings }) => findings ?? []).filter((finding) => finding.severity === severity).length;

const groupsToLines = (groups: readonly Group[]): readonly string[] => [
  ...groups.flatMap(groupToLines),
  '',
  `${plural(count(groups, 'problem'), 'problem')}, ${plural(count(groups, 'note'), 'note')}`,
];

const groupToLines = ({ name, findings }: Group): readonly string[] => {
  if (findings === null) return [`${name}: not examined because of other problems`];
  if (findings.length === 0) return [`${name}: ok`];
  return [`${name}:`, ...limitLines(findings.map(({ severity, message }) => `  ${severity}  ${message}`))];
};

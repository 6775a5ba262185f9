/**
 * `npm run bench:queue [-- part …]`: the queue against bare Temporal and the data plane, the same servers, the same
 * run, in turns. `BENCH_SECONDS` and `BENCH_ROUNDS` say for how long.
 */
import { loadavg } from 'node:os';
import { measures } from './queue-measures.js';
import { startQueuePlace } from './queue-place.js';
import { findingsTable, type Finding } from './report.js';

const say = (text: string): void => void process.stdout.write(`${text}\n`);

const run = async (parts: readonly string[]): Promise<readonly Finding[]> => {
  const place = await startQueuePlace();
  const findings: Finding[] = [];
  try {
    for (const part of parts) {
      process.stderr.write(`… ${part}\n`);
      findings.push(...((await measures[part]?.(place)) ?? []));
    }
  } finally {
    await place.stop();
  }
  return findings;
};

const asked = process.argv.slice(2);
const unknown = asked.filter((part) => !(part in measures));
if (unknown.length > 0) {
  say(`unknown: ${unknown.join(', ')}; there are ${Object.keys(measures).join(', ')}`);
  process.exitCode = 2;
} else {
  say(findingsTable(await run(asked.length === 0 ? Object.keys(measures) : asked)));
  say(`load average ${loadavg()[1]?.toFixed(1)}`);
}

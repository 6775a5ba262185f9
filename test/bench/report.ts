/** Tables for people. Every line says whether its target was met. */
import { median, type ShapeResult, type Side, type Turn } from './measure.js';

/** One figure with a bound. */
export interface Finding {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  /** Null for a figure that only tells how much. */
  readonly target: number | null;
  /** True where more is better; else less is. */
  readonly atLeast: boolean;
  readonly note: string;
}

export const isMet = ({ value, target, atLeast }: Finding): boolean =>
  target === null || (atLeast ? value >= target : value <= target);

/** `database` marks the findings of one shape among those of several databases. */
export const shapeFindings = (results: readonly ShapeResult[], database: string): Finding[] =>
  results.flatMap(({ shape, title, target, ratios }) =>
    target === null
      ? []
      : [
          {
            name: `${database} ${shape}`,
            value: median(ratios),
            unit: '× floor',
            target,
            atLeast: true,
            note: title,
          },
        ],
  );

export const shapesTable = (results: readonly ShapeResult[]): string =>
  printTable([
    ['shape', 'ratio', 'spread', 'must', '', 'aim', 'req/s', 'node µs', 'db µs', 'p50 ms', 'p99 ms', 'KB'],
    ...results.map(shapeLine),
  ]);

/** Two figures stand as server/floor. */
const shapeLine = (result: ShapeResult): string[] => {
  const figure = (side: Side, read: (turn: Turn) => number | null): number | null => {
    const values = result.rounds.map((round) => read(round[side]));
    return values.includes(null) ? null : median(values as number[]);
  };
  const both = (read: (turn: Turn) => number | null, digits = 0): string =>
    `${print(figure('server', read), digits)}/${print(figure('floor', read), digits)}`;
  const ratio = median(result.ratios);
  return [
    result.shape,
    ratio.toFixed(2),
    `${Math.min(...result.ratios).toFixed(2)}–${Math.max(...result.ratios).toFixed(2)}`,
    ...(result.target === null
      ? ['–', '']
      : [`≥ ${result.target.toFixed(2)}`, verdict(ratio >= result.target)]),
    print(result.aim, 2),
    both((turn) => turn.requestsPerSecond),
    both((turn) => turn.nodeMicros),
    both((turn) => turn.databaseMicros),
    both((turn) => turn.p50, 1),
    both((turn) => turn.p99, 1),
    both((turn) => turn.bytes / 1_000, 1),
  ];
};

const verdict = (met: boolean): string => (met ? 'met' : 'MISSED');

const print = (value: number | null, digits: number): string =>
  value === null ? '–' : value.toFixed(digits);

export const findingsTable = (findings: readonly Finding[]): string =>
  printTable([
    ['what', 'value', 'target', '', ''],
    ...findings.map((finding) => [
      finding.name,
      `${Number(finding.value.toPrecision(3))} ${finding.unit}`,
      ...(finding.target === null
        ? ['–', '']
        : [`${finding.atLeast ? '≥' : '≤'} ${finding.target}`, verdict(isMet(finding))]),
      finding.note,
    ]),
  ]);

export const printTable = (rows: readonly (readonly string[])[]): string => {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => (row[column] ?? '').length)),
  );
  const line = (row: readonly string[]): string =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd();
  return rows.map(line).join('\n');
};

/** Options of `npm run bench -- …`. */
import { parseArgs } from 'node:util';
import { benchDialects, type BenchDialect } from './databases.js';
import { shapes, type Shape } from './shapes.js';

const parts = [
  'shapes',
  'collections',
  'logins',
  'start',
  'memory',
  'generate',
  'follow',
  'metrics',
] as const;
type Part = (typeof parts)[number];

export interface BenchOptions {
  readonly parts: readonly Part[];
  readonly shapes: readonly Shape[];
  readonly databases: readonly BenchDialect[];
  readonly seconds: number;
  readonly rounds: number;
  readonly connections: number;
  /** Exit code 1 where a target was missed. */
  readonly gate: boolean;
}

export const usage = `npm run bench -- [options]
  --only ${parts.join('|')}   one part of the bench (several: comma-separated; default: all)
  --shape ${shapes.map((shape) => shape.name).join('|')}   one shape (several: comma-separated); implies --only shapes
  --database ${benchDialects.join('|')}   default: all, with --shape or --only: mariadb
  --seconds 5 --rounds 5 --connections 16   load per turn, turns per shape, clients
  --gate   exit code 1 where a target was missed`;

/** @throws Error naming the option at fault */
export const readOptions = (args: readonly string[]): BenchOptions => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: 'string' },
      shape: { type: 'string' },
      database: { type: 'string' },
      seconds: { type: 'string', default: '5' },
      rounds: { type: 'string', default: '5' },
      connections: { type: 'string', default: '16' },
      gate: { type: 'boolean', default: false },
    },
  });
  const whole = values.only === undefined && values.shape === undefined;
  const only = values.only ?? (values.shape === undefined ? parts.join() : 'shapes');
  const names = values.shape ?? shapes.map((shape) => shape.name).join();
  return {
    parts: choose('only', only, parts),
    shapes: choose(
      'shape',
      names,
      shapes.map((shape) => shape.name),
    ).map(findShape),
    databases: choose(
      'database',
      values.database ?? (whole ? benchDialects.join() : 'mariadb'),
      benchDialects,
    ),
    seconds: readCount('seconds', values.seconds),
    rounds: readCount('rounds', values.rounds),
    connections: readCount('connections', values.connections),
    gate: values.gate,
  };
};

const choose = <const Name extends string>(option: string, text: string, known: readonly Name[]): Name[] =>
  text.split(',').map((word) => {
    const found = known.find((name) => name === word);
    if (found === undefined) throw new Error(`--${option} ${word}: expected ${known.join(', ')}`);
    return found;
  });

const findShape = (name: string): Shape => shapes.find((shape) => shape.name === name) as Shape;

const readCount = (option: string, text: string): number => {
  if (!/^[1-9]\d{0,3}$/.test(text)) throw new Error(`--${option} ${text}: expected a whole number from 1`);
  return Number(text);
};

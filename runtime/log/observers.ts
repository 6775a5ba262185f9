/** Observers that write a line of the log for each observation. */
import type { DestinationStream } from 'pino';
import type { Config } from '../config/config.js';
import type { Observe } from '../observe.js';
import { toLogEntry } from './entries.js';

/** Numeric levels of pino. */
const levelNumbers = {
  trace: 10,
  debug: 20,
  info: 30,
  warn: 40,
  error: 50,
  fatal: 60,
  silent: Infinity,
} as const;

/**
 * Creates an observer for the supervisor that writes the same log entries without a library, to use little memory.
 */
export const createLightObserver = (
  config: Pick<Config, 'log'>,
  write: (line: string) => void = (line) => void process.stdout.write(line),
): Observe => {
  const { level, style } = config.log;
  return (observation) => {
    const entry = toLogEntry(observation);
    if (levelNumbers[entry.level] < levelNumbers[level]) return;
    const at = new Date();
    const text =
      style === 'pretty'
        ? `[${at.toTimeString().slice(0, 8)}] ${entry.level.toUpperCase()}: ${entry.message}`
        : JSON.stringify({
            level: levelNumbers[entry.level],
            time: at.getTime(),
            pid: process.pid,
            ...entry.fields,
            msg: entry.message,
          });
    write(`${text}\n`);
  };
};

/** Creates an observer on pino, one line per observation; pino-pretty is loaded only when configured. */
export const createObserver = async (config: Pick<Config, 'log'>): Promise<Observe> => {
  const { pino } = await import('pino');
  const stdout = pino.destination({ fd: 1, sync: true });
  const stream = config.log.style === 'pretty' ? await prettyStream(stdout) : stdout;
  const options = {
    level: config.log.level,
    base: { pid: process.pid },
    serializers: { error: errorToFields },
  };
  const logger = pino(options, stream);
  const requests = logger.isLevelEnabled('debug');
  const details = logger.isLevelEnabled('trace');
  return (observation) => {
    // checked before anything is allocated, because both occur with every request
    if (observation.kind === 'requestFinished' && !requests) return;
    if (observation.kind === 'statementFinished' && !details) return;
    const entry = toLogEntry(observation);
    logger[entry.level](entry.fields, entry.message);
  };
};

const prettyStream = async (destination: DestinationStream): Promise<DestinationStream> => {
  const { default: pretty } = await import('pino-pretty');
  return pretty({
    destination: destination as unknown as NodeJS.WritableStream,
    translateTime: 'HH:MM:ss',
    include: 'level,time,error,sql',
  });
};

/** Keeps only safe fields of an error, because drivers attach bind values to their errors. */
const errorToFields = (error: unknown): unknown => {
  if (!(error instanceof Error)) return String(error);
  const { code } = error as { code?: unknown };
  return {
    type: error.name,
    message: error.message,
    stack: error.stack,
    ...(code === undefined ? {} : { code }),
  };
};

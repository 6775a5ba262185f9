/** Executes root fields, queries in parallel and mutations sequentially, and passes the bytes of rows through. */
import { ApiError, ApiErrors } from '../../contract/errors.js';
import type { CallContext, CompiledOperation, RootField } from './compile.js';
import { OutdatedSchema } from '../request/outdated-schema.js';
import type { RootResult } from './roots.js';

export interface ExecuteOptions {
  /** Reports an unexpected error to the log and returns the error for the client. */
  reportError(error: unknown): ApiError;
  /** Returns whether the operation shall be run again on a build of the schema as it is now. */
  isOutdated(error: unknown): boolean;
}

/**
 * Executes the root fields and returns the response body.
 * @throws SERVICE_UNAVAILABLE of queries, as one for all
 * @throws OutdatedSchema where nothing has been written yet
 */
export const executeOperation = async (
  { isMutation }: Pick<CompiledOperation, 'isMutation'>,
  roots: readonly RootField[],
  options: RunOptions,
): Promise<Buffer | string> => {
  const run = (root: RootField): Promise<Outcome> => {
    const hasWritten = isMutation && root !== roots[0];
    return runField(root, hasWritten ? { ...options, isOutdated: () => false } : options);
  };
  if (isMutation) return toBody(await runSequentially(roots, run));
  const outcomes = await Promise.all(roots.map(run));
  const unavailable = outcomes
    .flatMap(({ problems }) => problems)
    .find(({ code }) => code === 'SERVICE_UNAVAILABLE');
  if (unavailable !== undefined) throw unavailable;
  return toBody(outcomes);
};

type RunOptions = ExecuteOptions & { readonly context: CallContext };

interface Outcome {
  readonly root: RootField;
  /** `null`: the field failed. */
  readonly result: RootResult | null;
  readonly problems: readonly ApiError[];
}

const runSequentially = async (
  roots: readonly RootField[],
  run: (root: RootField) => Promise<Outcome>,
): Promise<readonly Outcome[]> => {
  const outcomes: Outcome[] = [];
  for (const root of roots) outcomes.push(await run(root));
  return outcomes;
};

const runField = async (
  root: RootField,
  { context, reportError, isOutdated }: RunOptions,
): Promise<Outcome> => {
  try {
    return { root, result: await root.run(context), problems: [] };
  } catch (error) {
    if (error instanceof ApiErrors) return { root, result: null, problems: error.problems };
    if (error instanceof ApiError) return { root, result: null, problems: [error] };
    if (isOutdated(error)) throw new OutdatedSchema('the schema has changed', { cause: error });
    return { root, result: null, problems: [reportError(error)] };
  }
};

const toBody = (outcomes: readonly Outcome[]): Buffer | string => {
  const [only] = outcomes;
  const tail = printTail(outcomes);
  if (outcomes.some(({ root, result }) => result === null && root.isRequired)) return `{"data":null${tail}`;
  if (outcomes.length === 1 && only?.result !== null && only?.result !== undefined && 'rows' in only.result) {
    const { rows, isList } = only.result;
    const before = `{"data":{${JSON.stringify(only.root.key)}:${isList ? '[' : ''}`;
    return rows.enclose(Buffer.from(before), Buffer.from(`${isList ? ']' : ''}}${tail}`));
  }
  const parts = outcomes.flatMap(({ root, result }, index) => [
    Buffer.from(`${index === 0 ? '' : ','}${JSON.stringify(root.key)}:`),
    ...toBytes(result),
  ]);
  return Buffer.concat([head, ...parts, Buffer.from(`}${tail}`)]);
};

const head = Buffer.from('{"data":{');
const [open, close] = [Buffer.from('['), Buffer.from(']')];

const toBytes = (result: RootResult | null): readonly Buffer[] => {
  if (result === null) return [Buffer.from('null')];
  if ('value' in result) return [Buffer.from(JSON.stringify(result.value) ?? 'null')];
  return result.isList ? [open, result.rows.bytes, close] : [result.rows.bytes];
};

/** Prints the members after `data`: errors and extensions. */
const printTail = (outcomes: readonly Outcome[]): string => {
  const errors = outcomes.flatMap(({ root, problems }) =>
    problems.map(({ message, code, details }) => ({
      message,
      locations: [root.location],
      path: [root.key],
      extensions: { code, ...details },
    })),
  );
  const meta = outcomes.flatMap(({ root, result }) => {
    const given = result?.meta ?? null;
    return given === null ? [] : [[root.key, given] as const];
  });
  return [
    ...(errors.length === 0 ? [] : [`,"errors":${JSON.stringify(errors)}`]),
    ...(meta.length === 0 ? [] : [`,"extensions":${JSON.stringify({ meta: Object.fromEntries(meta) })}`]),
    '}',
  ].join('');
};

/** Runs the fields at the root: reads side by side, writes one after another; rows go out as the bytes they came in. */
import { ApiError, ApiErrors } from '../../contract/errors.js';
import type { CallContext, CompiledOperation, Root } from './compile.js';
import type { RootResult } from './roots.js';

export interface ExecuteOptions {
  /** What a client is told of an error that nobody expected; it is told to the log as well. */
  tell(error: unknown): ApiError;
}

/** @returns the body of the answer. @throws what no client is to blame for, when nothing was written */
export const executeOperation = async (
  { writes }: Pick<CompiledOperation, 'writes'>,
  roots: readonly Root[],
  { context, tell }: ExecuteOptions & { readonly context: CallContext },
): Promise<Buffer | string> => {
  const outcomes = writes
    ? await runInTurn(roots, (root) => attempt(root, context, tell))
    : await Promise.all(roots.map((root) => attempt(root, context, null)));
  return toBody(outcomes);
};

interface Outcome {
  readonly root: Root;
  /** `null`: it failed. */
  readonly result: RootResult | null;
  readonly problems: readonly ApiError[];
}

const runInTurn = async (
  roots: readonly Root[],
  run: (root: Root) => Promise<Outcome>,
): Promise<readonly Outcome[]> => {
  const outcomes: Outcome[] = [];
  for (const root of roots) outcomes.push(await run(root));
  return outcomes;
};

const attempt = async (
  root: Root,
  context: CallContext,
  tell: ExecuteOptions['tell'] | null,
): Promise<Outcome> => {
  try {
    return { root, result: await root.run(context), problems: [] };
  } catch (error) {
    if (error instanceof ApiErrors) return { root, result: null, problems: error.problems };
    if (error instanceof ApiError) return { root, result: null, problems: [error] };
    if (tell === null) throw error;
    return { root, result: null, problems: [tell(error)] };
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

/** What follows the data: errors, and counts that were asked for. */
const printTail = (outcomes: readonly Outcome[]): string => {
  const errors = outcomes.flatMap(({ root, problems }) =>
    problems.map(({ message, code, details }) => ({
      message,
      locations: [root.place],
      path: [root.key],
      extensions: { code, ...details },
    })),
  );
  const meta = outcomes.flatMap(({ root, result }) =>
    result !== null && 'rows' in result && result.meta !== null ? [[root.key, result.meta] as const] : [],
  );
  return [
    ...(errors.length === 0 ? [] : [`,"errors":${JSON.stringify(errors)}`]),
    ...(meta.length === 0 ? [] : [`,"extensions":${JSON.stringify({ meta: Object.fromEntries(meta) })}`]),
    '}',
  ].join('');
};

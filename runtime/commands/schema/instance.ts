/** The instance that `svc schema` works on: the database of `DATABASE_URL`, or a server that runs elsewhere. */
import { Option } from 'commander';
import { ApiError, ApiErrors } from '../../../contract/errors.js';
import type { Config } from '../../config/config.js';
import { Refusal } from '../../config/refusal.js';
import type { Database } from '../../databases/contract.js';
import type { Difference, DiffOptions } from '../../schema/service.js';
import type { Snapshot } from '../../schema/snapshot/types.js';
import { createProgress } from '../output.js';
import { withDatabase } from '../with-database.js';

export interface Instance {
  snapshot(include?: 'access'): Promise<Snapshot>;
  diff(snapshot: unknown, options: DiffOptions): Promise<Difference | null>;
  apply(difference: Difference, options: { readonly acceptLoss: boolean }): Promise<void>;
}

export interface InstanceFlags {
  readonly url?: string;
  readonly token?: string;
}

/** Creates `--url`, new for each command, as Commander wants it. */
export const urlOption = (): Option =>
  new Option('--url <url>', 'an instance that runs, in place of the database of DATABASE_URL');

/** Creates `--token`, whose value may come from `SVC_TOKEN`, so that it is in no list of processes. */
export const tokenOption = (): Option =>
  new Option('--token <token>', 'token of an administrator there').env('SVC_TOKEN');

const load = () => import('../../schema/service.js');

/** Runs `body` with the instance that flags name. @throws Refusal for what the schema refuses */
export const withInstance = async <Result>(
  { url, token }: InstanceFlags,
  body: (instance: Instance) => Promise<Result>,
): Promise<Result> => {
  if (url !== undefined) return body(remoteInstance(url, token));
  return withDatabase((database, config) => body(localInstance(database, config)));
};

const localInstance = (database: Database, { tables, schemaApplyWait }: Config): Instance => {
  const services = { database, tables };
  return {
    async snapshot(include) {
      const { takeSnapshot } = await load();
      return takeSnapshot(services, include === undefined ? [] : [include]);
    },
    async diff(snapshot, options) {
      const { diffSnapshot } = await load();
      return refusing(() => diffSnapshot(snapshot, options, services));
    },
    async apply({ hash, diff }, { acceptLoss }) {
      const { applyDifference } = await load();
      const progress = createProgress();
      await refusing(() =>
        applyDifference(
          { hash, diff, accept_loss: acceptLoss },
          {
            ...services,
            user: null,
            wait: schemaApplyWait,
            onStep: ({ description }, { done, steps }) =>
              progress.step(`${done + 1}/${steps} ${description}`),
          },
        ),
      );
      progress.done();
    },
  };
};

/** Turns what the schema refuses into a refusal of the command. */
export const refusing = async <Result>(body: () => Promise<Result>): Promise<Result> => {
  try {
    return await body();
  } catch (error) {
    if (error instanceof ApiErrors)
      throw new Refusal(error.problems.map(({ message }) => message).join('\n'));
    throw error instanceof ApiError ? new Refusal(error.message) : error;
  }
};

/** Calls the endpoints of an instance. */
const remoteInstance = (url: string, token: string | undefined): Instance => {
  const call = createCaller(url, token);
  return {
    async snapshot(include) {
      return (await call(
        'GET',
        `schema/snapshot${include === undefined ? '' : `?include=${include}`}`,
      )) as Snapshot;
    },
    async diff(snapshot, { mode, force, explain = false }) {
      const query = new URLSearchParams({
        mode,
        ...(force && { force: '' }),
        ...(explain && { explain: '' }),
      });
      return (await call('POST', `schema/diff?${query}`, snapshot)) as Difference | null;
    },
    async apply({ hash, diff }, { acceptLoss }) {
      await call('POST', 'schema/apply', { hash, diff, ...(acceptLoss && { accept_loss: true }) });
    },
  };
};

interface ErrorBody {
  readonly errors?: readonly { readonly message: string }[];
}

const createCaller = (url: string, token: string | undefined) => {
  const base = url.endsWith('/') ? url : `${url}/`;
  if (!URL.canParse(base)) throw new Refusal(`--url ${url} is no URL; write one such as https://example.com`);
  return async (method: string, path: string, body?: unknown): Promise<unknown> => {
    const response = await fetch(new URL(path, base), {
      method,
      headers: {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    }).catch((error: unknown) => {
      const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
      throw new Refusal(
        `${base} cannot be reached: ${cause instanceof Error ? cause.message : String(cause)}`,
      );
    });
    if (response.status === 204) return null;
    const answer = (await response.json().catch(() => ({}))) as ErrorBody & { readonly data?: unknown };
    if (response.ok) return answer.data;
    const reasons = answer.errors?.map(({ message }) => message) ?? [];
    const rights =
      response.status === 401 || response.status === 403 ? ['send --token of an administrator'] : [];
    throw new Refusal([`${base} responded with ${response.status}`, ...reasons, ...rights].join('\n'));
  };
};

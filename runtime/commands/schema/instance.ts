/** The instance that `svc schema` works on: the database of `DATABASE_URL`, or a server that runs elsewhere. */
import type { Option } from 'commander';
import type { Config } from '../../config/config.js';
import type { Database } from '../../databases/contract.js';
import type { DescribedApply } from '../../schema/apply/describe.js';
import type { Difference, DiffOptions } from '../../schema/service.js';
import type { Snapshot } from '../../schema/snapshot/types.js';
import { loadWorkflows } from '../../operations/apply-workflows.js';
import { refusing } from '../api-refusals.js';
import { createRemote, tokenOption, type RemoteFlags } from '../remote.js';
import { withDatabase } from '../with-database.js';
import { createApplyProgress, followApply } from './apply-progress.js';

export interface Instance {
  snapshot(include?: 'access'): Promise<Snapshot>;
  diff(snapshot: unknown, options: DiffOptions): Promise<Difference | null>;
  apply(difference: Difference, options: { readonly acceptLoss: boolean }): Promise<void>;
  /** Returns the last apply, or undefined. */
  lastApply(): Promise<DescribedApply | undefined>;
}

const administrator = 'an administrator';

/** Creates the option for the token of an administrator, new for each command. */
export const adminTokenOption = (): Option => tokenOption(administrator);

const load = () => import('../../schema/service.js');

/** Runs `body` with the instance that flags name. @throws Refusal for what the schema refuses */
export const withInstance = async <Result>(
  { url, token }: RemoteFlags,
  body: (instance: Instance) => Promise<Result>,
): Promise<Result> => {
  if (url !== undefined) return body(remoteInstance(url, token));
  return withDatabase((database, config) => body(localInstance(database, config)));
};

const localInstance = (database: Database, config: Config): Instance => {
  const { tables, schemaApplyWait } = config;
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
      const progress = createApplyProgress();
      await refusing(async () =>
        applyDifference(
          { hash, diff, accept_loss: acceptLoss },
          {
            ...services,
            user: null,
            wait: schemaApplyWait,
            workflows: await loadWorkflows(config),
            onStep: ({ description }, at) => progress.step(description, at),
          },
        ),
      );
      progress.done();
    },
    async lastApply() {
      const { describeApplies } = await load();
      return (await describeApplies(database, 1))[0];
    },
  };
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
        ...(explain !== false && { explain: explain === 'exact' ? 'exact' : '' }),
      });
      return (await call('POST', `schema/diff?${query}`, snapshot)) as Difference | null;
    },
    async apply({ hash, diff }, { acceptLoss }) {
      const body = { hash, diff, ...(acceptLoss && { accept_loss: true }) };
      const begun = await call('POST', 'schema/apply', body, { prefer: 'respond-async' });
      if (begun === null) return;
      await followApply(
        begun as DescribedApply,
        async (id) => (await call('GET', `schema/applies/${id}`)) as DescribedApply,
      );
      // responds when the new schema is served
      await call('POST', 'schema/reload');
    },
    async lastApply() {
      return ((await call('GET', 'schema/applies?limit=1')) as readonly DescribedApply[])[0];
    },
  };
};

const createCaller = (url: string, token: string | undefined) => {
  const remote = createRemote(url, token, administrator);
  return async (
    method: string,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<unknown> => {
    const response = await remote.send(path, {
      method,
      ...(body !== undefined && {
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    });
    if (response.status === 204) return null;
    if (!response.ok) throw await remote.toRefusal(response);
    return ((await response.json()) as { readonly data?: unknown }).data;
  };
};

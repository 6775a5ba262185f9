/** Handlers of `spec/operations/schema.yaml`. */
import type { Operations } from '../../generated/server/operations.js';
import { lazy } from '../concurrency/lazy.js';
import { loadWorkflows } from './apply-workflows.js';
import { plainFields } from '../response/export/csv.js';
import { formats, printItem } from '../response/export/formats.js';
import type { OperationContext } from './context.js';
import { startApply } from './queued-apply.js';
import { serveSchema } from './serve-schema.js';
import type { OperationServices } from './services.js';

type Names =
  | 'schemaSnapshot'
  | 'schemaDiff'
  | 'schemaApply'
  | 'schemaApplies'
  | 'schemaApplyStatus'
  | 'schemaReload';

const load = lazy(() => import('../schema/service.js'));

/**
 * Creates the handlers of snapshot, diff and apply, which load their modules with the first
 * requests.
 */
export const createSchemaOperations = (options: OperationServices): Pick<Operations, Names> => {
  const { database, config, reload } = options;
  const services = { database, tables: config.tables };
  return {
    async schemaSnapshot({ export: format, include }, context) {
      const { takeSnapshot } = await load();
      const snapshot = await takeSnapshot(services, include === undefined ? [] : [include]);
      if (format === undefined) return { data: snapshot as never };
      const { fileName, printSnapshot } = await import('../schema/snapshot/file.js');
      const { contentType, extension } = formats[format];
      context.setHeader('content-type', contentType);
      context.setHeader('content-disposition', `attachment; filename="${fileName(extension, new Date())}"`);
      const file =
        format === 'json' || format === 'yaml'
          ? printSnapshot(snapshot, format)
          : printItem(format, Buffer.from(JSON.stringify(snapshot)), { ...plainFields, columns: null });
      // another format than the declared one is sent as it is
      return Buffer.from(file) as never;
    },

    async schemaDiff({ force = false, mode = 'mirror', explain = false, body }) {
      const { diffSnapshot } = await load();
      const difference = await diffSnapshot(
        body,
        { force: force !== false, mode, explain: explain ?? true },
        services,
      );
      return difference === null
        ? { status: 204, body: null }
        : { status: 200, body: { data: difference as never } };
    },

    schemaApply: ({ body }, context) => respondToApply(body, context, options),

    async schemaApplies({ limit = 20 }) {
      const { describeApplies } = await load();
      return { data: [...(await describeApplies(database, limit))] };
    },

    async schemaApplyStatus({ id, include }) {
      const { describeApply, describeWithDiff } = await load();
      if (include === undefined) return { data: await describeApply(id, database) };
      return { data: (await describeWithDiff(id, database)) as never };
    },

    async schemaReload() {
      await serveSchema(reload, 'the schema cannot be served');
    },
  };
};

/** Applies a difference: before the response, or after it where the client prefers that. */
const respondToApply = async (
  body: unknown,
  context: OperationContext,
  { database, config, reload, background, keepBuild, base }: OperationServices,
): ReturnType<Operations['schemaApply']> => {
  const { applyDifference, describeApply } = await load();
  const { user } = await context.principal();
  const apply = async (onQueued?: (id: string) => void): Promise<void> => {
    await applyDifference(body as never, {
      database,
      tables: config.tables,
      user: user?.id ?? null,
      client: context.client,
      wait: config.schemaApplyWait,
      serve: reload,
      workflows: await loadWorkflows(config),
      ...(onQueued !== undefined && { onQueued }),
    });
    await serveSchema(reload, 'the difference is applied, but the schema cannot be served');
  };
  const id = context.prefersAsync ? await startApply({ background, keepBuild, apply }) : await apply();
  if (typeof id !== 'string') return { status: 204 };
  context.setHeader('location', `${base}/schema/applies/${id}`);
  context.setHeader('preference-applied', 'respond-async');
  return { status: 202, body: { data: await describeApply(id, database) } };
};

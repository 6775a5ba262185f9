/** Handlers of `spec/operations/utils.yaml`. */
import type { Operations } from '../../generated/server/operations.js';
import type { Collection } from '../../contract/collection.js';
import { untilConfirmed } from '../access/confirmation.js';
import type { Action } from '../access/policies.js';
import { createContext, type ItemContext } from '../items/context.js';
import { sortItems } from '../items/sort.js';
import { tryOut } from './dry-run.js';
import { forbiddenCollection } from '../plan/scope.js';
import { clientOf, type OperationContext } from './context.js';
import type { OperationServices } from './services.js';

type Names = 'utilsSort' | 'utilsImport' | 'utilsExport';

/** Largest file of an import within its request, in bytes; larger ones are imported by the queue. */
const maxFile = 10 * 1024 ** 2;

/**
 * Creates the handlers of sorting, import and export, each as one transaction or one stream within its
 * request.
 */
export const createUtilsOperations = (services: OperationServices): Pick<Operations, Names> => ({
  async utilsSort({ collection: name, body: { item, to }, dry_run: isDryRun }, context) {
    const need = { name, actions: ['read', 'update'] } as const;
    await run(need, { services, context, isDryRun }, (collection, items) =>
      sortItems(collection, { item: String(item), to: String(to) }, items),
    );
  },

  async utilsImport({ collection: name, delimiter = ',', dry_run: isDryRun }, context) {
    const need = { name, actions: ['create', 'update'] } as const;
    requireCollection(need, openItems(await context.principal(), { services, context }));
    const file = await context.readFile(Math.min(maxFile, services.config.importMax));
    const { importInRequest } = await import('../transfers/import-in-request.js');
    await run(need, { services, context, isDryRun }, (collection, items) =>
      items.admission.run(() => importInRequest({ ...file, delimiter }, collection, items), items.caller),
    );
  },

  async utilsExport({ collection, body }, context) {
    const { startExport } = await services.loadTransfers();
    const { address } = context.client;
    const url = await startExport({ collection, body, principal: await context.principal(), address });
    context.setHeader('location', url);
  },
});

interface Need {
  readonly name: string;
  readonly actions: readonly Action[];
}

interface Called {
  readonly services: OperationServices;
  readonly context: OperationContext;
  /** True where the write is only tried. */
  readonly isDryRun?: boolean | undefined;
}

const openItems = (principal: ItemContext['principal'], { services, context }: Called): ItemContext =>
  createContext(services, principal, clientOf(context));

/** Returns a user's collection with keys. @throws FORBIDDEN where there is none, or the caller may not use it */
const requireCollection = ({ name, actions }: Need, { registry, principal }: ItemContext): Collection => {
  const collection = registry.collections.get(name);
  const isUsable =
    collection !== undefined &&
    !collection.system &&
    !collection.readonly &&
    collection.key.length > 0 &&
    actions.every((action) => principal.policies.grant(collection, action) !== null);
  if (!isUsable) throw forbiddenCollection(name);
  return collection;
};

/** Runs a write with the current rights of the caller, again where they change meanwhile. */
const run = (
  need: Need,
  called: Called,
  work: (collection: Collection, items: ItemContext) => Promise<void>,
): Promise<boolean> =>
  untilConfirmed(async () => {
    const items = openItems(await called.context.renew(), called);
    const collection = requireCollection(need, items);
    await tryOut(items, called, (tried) => work(collection, tried));
    return true;
  });

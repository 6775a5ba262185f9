/** Finds what the target of a pause names: a misspelled pause would hold nothing, and nobody would notice. */
import { findAccount } from '../auth/accounts.js';
import type { Database } from '../databases/contract.js';
import { listModels, listWorkers } from '../queue/store/operator-counts.js';
import { endpointOf, listPauses, type PauseTarget } from '../queue/store/pauses.js';

interface Known {
  readonly database: Database;
  /** Returns the models of the spec. */
  loadModels(): Promise<readonly { readonly id: string; readonly class: string }[]>;
  toError(reason: string): Error;
}

/**
 * Returns a target with the id of its account and the origin of its endpoint. What is paused is found by its name, even if
 * nothing else has that name any more.
 * @throws the error of `toError` for an account, a model or a class that does not exist, and for what is no URL of HTTP
 */
export const findTarget = async (target: PauseTarget, known: Known): Promise<PauseTarget> => {
  const { kind, name } = target;
  const paused = await listPauses(known.database);
  if (paused.some((each) => each.kind === kind && each.name === name)) return target;
  switch (kind) {
    case 'endpoint': {
      const endpoint = endpointOf(name);
      if (endpoint !== null) return { kind, name: endpoint };
      throw known.toError(
        'the name of an endpoint is its scheme, host and port, such as https://example.com',
      );
    }
    case 'account': {
      const account = await findAccount(known.database, name);
      if (account !== null) return { kind, name: account.id };
      throw known.toError(`there is no account "${name}"; expected its id or its e-mail address`);
    }
    default: {
      const names = [...new Set(await (kind === 'model' ? findModels(known) : findClasses(known)))].sort();
      if (names.includes(name)) return target;
      throw known.toError(`there is no ${kind} "${name}"; expected one of ${names.join(', ')}`);
    }
  }
};

/** Returns the models of the spec, and those that have had requests. */
const findModels = async ({ database, loadModels }: Known): Promise<readonly string[]> => {
  const models = await loadModels();
  return [...models.map(({ id }) => id), ...(await listModels(database))];
};

/** Returns the classes of the models of the spec, and those that workers serve. */
const findClasses = async ({ database, loadModels }: Known): Promise<readonly string[]> => {
  const models = await loadModels();
  const workers = await listWorkers(database, Date.now());
  return [...models.map((model) => model.class), ...workers.flatMap(({ classes }) => classes)];
};

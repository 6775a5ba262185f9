/**
 * What begins and ends requests in the database: always one transaction, which also gives the slots that are free to
 * whoever is next. Workflows are told afterwards; what does not reach them is repeated by the sweep.
 */
import type { Database } from '../execute/database.js';
import type { QueueModelDeclaration } from '../queue-model.js';
import type { DeliveryInput, RequestEnd } from './contract.js';
import { createId } from './ids.js';
import type { QueueModels } from './models.js';
import type { Orchestrator, RequestStart } from './orchestrator.js';
import type { Outcome } from './outcome.js';
import { admit, enterLane, ensureLane } from './store/admission.js';
import { findDeliveryOf, insertDelivery, markDeliveryStarted, type Delivery } from './store/deliveries.js';
import {
  endRequest,
  findRequest,
  findRequests,
  insertRequest,
  markStarted,
  type NewRequest,
  type RequestHead,
  type RequestState,
} from './store/requests.js';
import type { Statements } from './store/rows.js';

export interface DeskOptions {
  readonly database: Database;
  readonly models: QueueModels;
  readonly orchestrator: Orchestrator;
  /** Milliseconds that results are kept, and deliveries tried. */
  readonly resultTtl: number;
  /** Told of what could not be passed on to Temporal; a sweep repeats it. */
  readonly onLoss: (error: unknown) => void;
}

export interface Desk {
  /**
   * Stores a request and gives it a slot if one is free.
   * @param also further writes of the same transaction; `null`: none
   */
  open(request: NewRequest, also: AlsoWrite | null): Promise<{ admitted: boolean }>;
  /** Ends a request unless it has ended; `null`: it has, or it is not in the state `from`. */
  end(id: string, outcome: Outcome, from?: RequestState): Promise<RequestEnd | null>;
  /** How it ended; `null`: it has not. */
  endOf(id: string): Promise<RequestEnd | null>;
  /** Gives free slots of a model to who waits. */
  fill(model: QueueModelDeclaration): Promise<void>;
  /** Sees to it that the workflow of a request is there. */
  start(request: RequestHead): Promise<void>;
  /** The same for one that was just opened; that its workflow is there is written down in passing. */
  announce(request: RequestHead): Promise<void>;
  deliver(delivery: Delivery): Promise<void>;
}

export type AlsoWrite = (statements: Statements) => Promise<void>;

export const createDesk = (options: DeskOptions): Desk => {
  const { database, models, orchestrator, resultTtl, onLoss } = options;
  const lanes = new Map<string, Promise<void>>();

  const laneOf = (model: string): Promise<void> => {
    const present = lanes.get(model);
    if (present !== undefined) return present;
    const made = ensureLane(database, model);
    lanes.set(model, made);
    made.catch(() => lanes.delete(model));
    return made;
  };

  /** Runs `body` holding the lane of a model, then fills its slots. */
  const inLane = async <Result>(
    model: QueueModelDeclaration,
    body: (statements: Statements) => Promise<Result>,
  ): Promise<{ readonly result: Result; readonly admitted: readonly string[] }> => {
    await laneOf(model.id);
    return database.transaction(async (statements) => {
      await enterLane(statements, model.id);
      const result = await body(statements);
      return { result, admitted: await admit(statements, model, Date.now()) };
    });
  };

  const startOf = (request: RequestHead, admitted: boolean): RequestStart => {
    const model = models.find(request.model);
    return {
      requestId: request.id,
      account: request.account,
      model: request.model,
      class: model?.class ?? 'models',
      timeout: model?.timeout ?? 60_000,
      attempts: request.retry ? (model?.attempts ?? 1) : 1,
      admitted,
      startBefore: request.startBefore,
      priority: request.priority,
      summary: `${request.model} for ${request.account}`,
    };
  };

  const tell = (request: RequestHead): Promise<void> =>
    request.state === 'waiting'
      ? orchestrator.start(startOf(request, false))
      : orchestrator.admit(startOf(request, true));

  const start = async (request: RequestHead): Promise<void> => {
    await tell(request);
    await markStarted(database, request);
  };

  /** Requests that this process is opening: who opens one tells its workflow by itself. */
  const opening = new Set<string>();
  const granted = new Set<string>();

  const tellAdmitted = async (ids: readonly string[]): Promise<void> => {
    const others = ids.filter((id) => !opening.has(id));
    for (const id of ids) if (opening.has(id)) granted.add(id);
    if (others.length === 0) return;
    const requests = await findRequests(database, others);
    await Promise.all(requests.map((request) => start(request).catch(onLoss)));
  };

  const fills = new Map<string, () => Promise<void>>();

  /** Fills of a lane that are asked for while one is under way are one fill, after it. */
  const fillTogether = (model: QueueModelDeclaration): Promise<void> => {
    const known = fills.get(model.id);
    if (known !== undefined) return known();
    const fill = together(async () => {
      const { admitted } = await inLane(model, async () => undefined);
      tellAdmitted(admitted).catch(onLoss);
    });
    fills.set(model.id, fill);
    return fill();
  };

  const deliveryInput = (delivery: Delivery, ended: number): DeliveryInput => ({
    deliveryId: delivery.id,
    requestId: delivery.request,
    round: delivery.round,
    within: Math.max(60_000, ended + resultTtl - Date.now()),
    host: URL.canParse(delivery.url) ? new URL(delivery.url).hostname : '',
  });

  const endOf = async (id: string): Promise<RequestEnd | null> => {
    const request = await findRequest(database, id);
    if (request?.state !== 'ended') return null;
    const delivery = request.webhook === null ? null : await findDeliveryOf(database, id);
    return {
      httpStatus: request.httpStatus ?? 500,
      errorType: request.errorType,
      delivery: delivery === null ? null : deliveryInput(delivery, request.ended ?? Date.now()),
    };
  };

  return {
    endOf,
    start,
    async open(request, also) {
      const model = models.find(request.model);
      if (model === undefined) throw new Error(`there is no model ${request.model}`);
      opening.add(request.id);
      try {
        await (also === null
          ? insertRequest(database, request)
          : database.transaction(async (statements) => {
              await also(statements);
              await insertRequest(statements, request);
            }));
        // it is stored: what comes now is repeated by the sweep where it fails
        await fillTogether(model).catch(onLoss);
        return { admitted: granted.has(request.id) };
      } finally {
        opening.delete(request.id);
        granted.delete(request.id);
      }
    },
    async announce(request) {
      // there is no workflow yet that could miss a signal
      await orchestrator.start(startOf(request, request.state !== 'waiting'));
      markStarted(database, request).catch(onLoss);
    },
    async end(id, outcome, from) {
      const request = await findRequest(database, id);
      if (request === null || request.state === 'ended') return null;
      const model = models.find(request.model);
      const change = { outcome, from };
      if (model === undefined) {
        const done = await database.transaction((statements) => endWithDelivery(statements, request, change));
        return done ? endOf(id) : null;
      }
      const { result, admitted } = await inLane(model, (statements) =>
        endWithDelivery(statements, request, change),
      );
      await tellAdmitted(admitted);
      return result ? endOf(id) : null;
    },
    async fill(model) {
      const { admitted } = await inLane(model, async () => undefined);
      await tellAdmitted(admitted);
    },
    async deliver(delivery) {
      await orchestrator.deliver(deliveryInput(delivery, Date.now()));
      await markDeliveryStarted(database, delivery.id);
    },
  };
};

/** Calls that come while one is under way share the next one. */
const together = (run: () => Promise<void>): (() => Promise<void>) => {
  let current: Promise<void> = Promise.resolve();
  let next: Promise<void> | null = null;
  const begin = (): Promise<void> => {
    next = null;
    const running = run();
    current = running.catch(() => undefined);
    return running;
  };
  return () => (next ??= current.then(begin));
};

/** Its webhook is a row of the same transaction: an end without its delivery does not exist. */
const endWithDelivery = async (
  statements: Statements,
  request: RequestHead,
  { outcome, from }: { readonly outcome: Outcome; readonly from: RequestState | undefined },
): Promise<boolean> => {
  const now = Date.now();
  const { status: httpStatus, errorType, body, headers = {} } = outcome;
  const ending = { httpStatus, errorType, headers, output: JSON.stringify(body) };
  const done = await endRequest(statements, request.id, ending, {
    now,
    ...(from !== undefined && { from }),
  });
  if (done && request.webhook !== null) {
    const { id, account, webhook: url } = request;
    await insertDelivery(statements, { id: createId(), request: id, account, url, created: now });
  }
  return done;
};

/** Bodies of `spec/operations/queue.yaml`: what users see of their own keys, requests and webhooks. */
import type { Operations } from '../../generated/server/operations.js';
import { apiError, unprocessable, type ApiError } from '../errors.js';
import { createKey } from '../queue/keys.js';
import { createId, isId } from '../queue/ids.js';
import { wireStates } from '../queue/status.js';
import {
  findDelivery,
  findDeliveryOf,
  insertDelivery,
  listAttempts,
  reopenDelivery,
  type Delivery,
} from '../queue/store/deliveries.js';
import { deleteKey, listKeys } from '../queue/store/keys.js';
import { findRequest, listRequests, type RequestHead, type RequestState } from '../queue/store/requests.js';
import { rotateWebhookSecret, webhookSecrets } from '../queue/store/secrets.js';
import { refusalOf } from '../queue/webhook/target.js';
import type { OperationContext } from './context.js';
import type { OperationServices } from './services.js';

type Names =
  | 'keyCreate'
  | 'keyList'
  | 'keyRevoke'
  | 'requestList'
  | 'requestRead'
  | 'requestDeliveries'
  | 'requestRedeliver'
  | 'webhookSecretRead'
  | 'webhookSecretRotate'
  | 'webhookTest';

export const createQueueOperations = ({
  database,
  loadQueue,
}: OperationServices): Pick<Operations, Names> => {
  const findOwn = async (id: string, context: OperationContext): Promise<RequestHead> => {
    const found = isId(id) ? await findRequest(database, id) : null;
    if (found === null || found.account !== (await accountOf(context))) throw absent('request', id);
    return found;
  };

  return {
    async keyCreate({ body }, context) {
      const { settings } = await loadQueue();
      const { name = null, models = null, expires_at: expires = null } = body;
      const account = await accountOf(context);
      const key = { account, name, models, expires: expires === null ? null : Date.parse(expires) };
      const made = await createKey(database, key, settings.secrets);
      return { data: { id: made.stored.id, key: made.key } };
    },

    async keyList(_input, context) {
      const keys = await listKeys(database, await accountOf(context));
      return {
        data: keys.map(({ id, name, models, created, expires, used }) => ({
          id,
          name,
          models: models === null ? null : [...models],
          created_at: toTime(created),
          expires_at: toTimeOrNull(expires),
          used_at: toTimeOrNull(used),
        })),
      };
    },

    async keyRevoke({ id }, context) {
      if (!isId(id) || !(await deleteKey(database, id, await accountOf(context)))) throw absent('key', id);
    },

    async requestList({ model, status, before, limit = 25 }, context) {
      const requests = await listRequests(database, {
        account: await accountOf(context),
        limit,
        ...(model !== undefined && { model }),
        ...(status !== undefined && { states: statesOf(status) }),
        ...(before !== undefined && { before: Date.parse(before) }),
      });
      return { data: requests.map(toWire) };
    },

    async requestRead({ id }, context) {
      return { data: toWire(await findOwn(id, context)) };
    },

    async requestDeliveries({ id }, context) {
      const request = await findOwn(id, context);
      const delivery = await findDeliveryOf(database, request.id);
      if (delivery === null) return { data: [] };
      const attempts = await listAttempts(database, delivery.id);
      return {
        data: [
          {
            id: delivery.id,
            url: delivery.url,
            state: delivery.state,
            attempts: attempts.map(({ number, status, error, milliseconds, created }) => ({
              number,
              status,
              error,
              milliseconds,
              created_at: toTime(created),
            })),
          },
        ],
      };
    },

    async requestRedeliver({ id }, context) {
      const request = await findOwn(id, context);
      const delivery = await findDeliveryOf(database, request.id);
      if (delivery === null) throw unprocessable('the request has no webhook, or has not ended');
      if (!(await reopenDelivery(database, delivery.id))) {
        throw unprocessable('the webhook is being delivered already');
      }
      await begin(delivery.id);
    },

    webhookSecretRead: async (_input, context) => secretsOf(await accountOf(context)),

    async webhookSecretRotate(_input, context) {
      const account = await accountOf(context);
      await rotateWebhookSecret(database, account, Date.now());
      return secretsOf(account);
    },

    async webhookTest({ body: { url } }, context) {
      const { settings } = await loadQueue();
      const refusal = refusalOf(url, settings.webhookPolicy);
      if (refusal !== null) throw unprocessable(refusal);
      const id = createId();
      const account = await accountOf(context);
      await insertDelivery(database, { id, request: null, account, url, created: Date.now() });
      await begin(id);
      return { data: { id } };
    },
  };

  /** Where Temporal is away, the sweep begins it. */
  async function begin(id: string): Promise<void> {
    const { desk } = await loadQueue();
    const delivery: Delivery | null = await findDelivery(database, id);
    if (delivery !== null) await desk.deliver(delivery).catch(() => undefined);
  }

  async function secretsOf(account: string) {
    return { data: { secrets: [...(await webhookSecrets(database, account, Date.now()))] } };
  }
};

const accountOf = async (context: OperationContext): Promise<string> => {
  const { user } = await context.principal();
  if (user === null) throw new Error('an operation for users was called by nobody');
  return user.id;
};

/** The same for what is not there and for what is somebody else's. */
const absent = (what: string, id: string): ApiError =>
  apiError('ROUTE_NOT_FOUND', { path: id }, `there is no such ${what}`);

const toTime = (time: number): string => new Date(time).toISOString();
const toTimeOrNull = (time: number | null): string | null => (time === null ? null : toTime(time));

type WireState = (typeof wireStates)[RequestState];

const statesOf = (status: WireState): readonly RequestState[] =>
  (Object.keys(wireStates) as RequestState[]).filter((state) => wireStates[state] === status);

const toWire = ({
  id,
  model,
  state,
  httpStatus,
  errorType,
  attempts,
  tags,
  created,
  begun,
  ended,
}: RequestHead) => ({
  id,
  model,
  status: wireStates[state],
  http_status: httpStatus,
  error_type: errorType,
  attempts,
  tags: tags === null ? null : (JSON.parse(tags) as Record<string, string>),
  created_at: toTime(created),
  begun_at: toTimeOrNull(begun),
  ended_at: toTimeOrNull(ended),
});

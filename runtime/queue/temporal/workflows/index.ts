/** Everything Temporal may run as a workflow. Deterministic: no time, chance or input but what Temporal gives. */
export { modelRequest } from './model-request.js';
export { webhookDelivery } from './webhook-delivery.js';
export { expire, sweep } from './housekeeping.js';

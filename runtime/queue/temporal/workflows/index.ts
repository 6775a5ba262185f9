/** Exports all workflows. Their code must be deterministic: time, randomness and input come only from Temporal. */
export { modelRequest } from './model-request.js';
export { webhookDelivery } from './webhook-delivery.js';
export { schemaApply } from './schema-apply.js';
export { expire, sweep } from './housekeeping.js';

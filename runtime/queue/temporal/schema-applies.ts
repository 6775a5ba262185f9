/** The workflows that run applies of the schema, for the process that received the request. */
import { createGateway, type Gateway, type GatewayOptions } from './gateway.js';

/** Starts and cancels applies by id, on a connection for each call: applies are rare. */
export const createApplyWorkflows = (options: GatewayOptions) => {
  const call = async (body: (gateway: Gateway) => Promise<void>): Promise<void> => {
    const gateway = createGateway(options);
    try {
      await body(gateway);
    } finally {
      await gateway.close();
    }
  };
  return {
    start: (applyId: string) => call((gateway) => gateway.startApply({ applyId })),
    cancel: (applyId: string) => call((gateway) => gateway.cancelApply({ applyId })),
  };
};

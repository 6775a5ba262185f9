/** How Temporal is reached: the SDK's own environment (`TEMPORAL_…`), with the address and namespace of the config. */
import { loadClientConnectConfig } from '@temporalio/envconfig';

export interface ConnectionChoice {
  readonly address: string | null;
  readonly namespace: string | null;
}

export const readConnection = ({ address, namespace }: ConnectionChoice) => {
  const found = loadClientConnectConfig();
  return {
    options: { ...found.connectionOptions, ...(address !== null && { address }) },
    namespace: namespace ?? found.namespace ?? 'default',
  };
};

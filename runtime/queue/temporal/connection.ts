/** How Temporal is reached: the SDK's own environment (`TEMPORAL_…`), with the address and namespace of the config. */
import { loadClientConnectConfig } from '@temporalio/envconfig';

export interface ConnectionChoice {
  readonly address: string | null;
  readonly namespace: string | null;
}

/** A file of profiles counts where `TEMPORAL_CONFIG_FILE` names it: what lies in a home folder is for other tools. */
export const readConnection = ({ address, namespace }: ConnectionChoice) => {
  const found = loadClientConnectConfig({ disableFile: !process.env['TEMPORAL_CONFIG_FILE'] });
  return {
    options: { ...found.connectionOptions, ...(address !== null && { address }) },
    namespace: namespace ?? found.namespace ?? 'default',
  };
};

/** Reads the connection options of Temporal from the SDK's environment (`TEMPORAL_…`) and the configuration. */
import { loadClientConnectConfig } from '@temporalio/envconfig';

export interface ConnectionOptions {
  readonly address: string | null;
  readonly namespace: string | null;
}

/** Returns the options; profiles are read only from `TEMPORAL_CONFIG_FILE`, not from the user's home directory. */
export const readConnection = ({ address, namespace }: ConnectionOptions) => {
  const found = loadClientConnectConfig({ disableFile: !process.env['TEMPORAL_CONFIG_FILE'] });
  return {
    options: { ...found.connectionOptions, ...(address !== null && { address }) },
    namespace: namespace ?? found.namespace ?? 'default',
  };
};

/** Has a changed schema served, before the operation that changed it is answered. */
import { apiError } from '../../contract/errors.js';
import type { OperationServices } from './services.js';

/** Has the schema served as it is now. @throws SERVICE_UNAVAILABLE with the reason */
export const serveSchema = async (reload: OperationServices['reload'], failed: string): Promise<void> => {
  try {
    await reload?.();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw apiError('SERVICE_UNAVAILABLE', { service: 'schema' }, `${failed}: ${reason}`);
  }
};

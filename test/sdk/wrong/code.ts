// TS2367: and '"FORBIDEN"' have no overlap.
import { ApiError } from 'content-api-client';

export const isForbidden = (error: unknown) => error instanceof ApiError && error.code === 'FORBIDEN';

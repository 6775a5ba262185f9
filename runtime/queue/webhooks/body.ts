/** Builds the body of a webhook. */
import { errorText, isSuccess } from '../requests/outcome.js';

export interface EndedRequest {
  readonly id: string;
  readonly httpStatus: number;
  /** JSON; `null` if the result has expired. */
  readonly output: string | null;
}

/** Returns the body of a webhook, the same bytes on every attempt, because the stored result is inserted verbatim. */
export const webhookBody = ({ id, httpStatus, output }: EndedRequest): Buffer => {
  const head = JSON.stringify({
    request_id: id,
    gateway_request_id: id,
    status: isSuccess(httpStatus) ? 'OK' : 'ERROR',
  }).slice(0, -1);
  const error = JSON.stringify(errorText(httpStatus));
  const missing = output === null ? ',"payload_error":"the result has expired"' : '';
  return Buffer.from(`${head},"payload":${output ?? 'null'},"error":${error}${missing}}`);
};

/** Returns the body that `POST /webhooks/test` sends. */
export const testBody = (deliveryId: string): Buffer =>
  webhookBody({ id: deliveryId, httpStatus: 200, output: '{"test":true}' });

/** What a webhook receives. */
import { errorText, isSuccess } from '../requests/outcome.js';

export interface EndedRequest {
  readonly id: string;
  readonly httpStatus: number;
  /** JSON; `null`: it is not kept any more. */
  readonly output: string | null;
}

/** The same bytes on every attempt: the stored result goes in as it is. */
export const webhookBody = ({ id, httpStatus, output }: EndedRequest): Buffer => {
  const head = JSON.stringify({
    request_id: id,
    gateway_request_id: id,
    status: isSuccess(httpStatus) ? 'OK' : 'ERROR',
  }).slice(0, -1);
  const error = JSON.stringify(errorText(httpStatus));
  const missing = output === null ? ',"payload_error":"the result is not kept any more"' : '';
  return Buffer.from(`${head},"payload":${output ?? 'null'},"error":${error}${missing}}`);
};

/** What `POST /webhooks/test` sends. */
export const testBody = (deliveryId: string): Buffer =>
  webhookBody({ id: deliveryId, httpStatus: 200, output: '{"test":true}' });

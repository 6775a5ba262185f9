/** Requests as a submission stores them, without anything that a client may leave out. */
import { createId } from '../../runtime/queue/store/ids.js';
import type { NewRequest } from '../../runtime/queue/store/request-head.js';

type Given = Pick<NewRequest, 'account' | 'priority' | 'created'> & Partial<Pick<NewRequest, 'id'>>;

export const newRequest = (
  model: string,
  { id = createId(), account, priority, created }: Given,
): NewRequest => ({
  id,
  account,
  model,
  priority,
  retry: true,
  input: '{}',
  webhook: null,
  tags: null,
  storeIo: true,
  filesTtl: null,
  traceparent: null,
  created,
  startBefore: null,
});

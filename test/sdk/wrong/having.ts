// TS2353: 'median' does not exist in type
import { createClient } from 'content-api-client';

const api = createClient({ url: 'http://127.0.0.1' });
void api
  .items('Invoice')
  .aggregate({ aggregate: { count: ['*'] }, having: { median: { Total: { _gt: 1 } } } });

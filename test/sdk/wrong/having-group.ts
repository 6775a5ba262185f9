// TS2353: 'Total' does not exist in type
import { createClient } from 'content-api-client';

const api = createClient({ url: 'http://127.0.0.1' });
void api.items('Invoice').aggregate({ groupBy: ['BillingCity'], having: { Total: { _gt: '1' } } });

// TS2820: Did you mean '"-sum.Total"'?
import { createClient } from 'content-api-client';

const api = createClient({ url: 'http://127.0.0.1' });
void api.items('Invoice').aggregate({ groupBy: ['BillingCity'], sort: ['-sum.Totl'] });

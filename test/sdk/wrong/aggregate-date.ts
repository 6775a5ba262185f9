// TS2820: Type '"InvoiceDate"' is not assignable to type
import { createClient } from 'content-api-client';

const api = createClient({ url: 'http://127.0.0.1' });
void api.items('Invoice').aggregate({ aggregate: { sum: ['InvoiceDate'] } });

// TS2322: is not assignable to type '"quote has no field title
import { createClient } from 'content-api-client';

const api = createClient({ url: 'http://127.0.0.1' });
void api.items('block').list({ fields: ['item:quote.title'] });

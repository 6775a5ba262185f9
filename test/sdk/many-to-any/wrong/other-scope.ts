// TS2322: Type '"item:page.title"' is not assignable to type
import { createClient } from 'content-api-client';

const api = createClient({ url: 'http://127.0.0.1' });
void api.items('block').list({ fields: ['item:page.title'] });

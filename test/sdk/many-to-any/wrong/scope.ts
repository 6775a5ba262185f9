// TS2820: Type '"item:headng.text"' is not assignable to type
import { createClient } from 'content-api-client';

const api = createClient({ url: 'http://127.0.0.1' });
void api.items('block').list({ fields: ['item:headng.text'] });

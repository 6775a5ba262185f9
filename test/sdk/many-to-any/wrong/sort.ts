// TS2322: is not assignable to type '"heading has no field code
import { createClient } from 'content-api-client';

const api = createClient({ url: 'http://127.0.0.1' });
void api.items('block').list({ sort: ['item:heading.code'] });

// TS2322: Type 'number' is not assignable to type 'string'.
import { createClient } from 'content-api-client';

const api = createClient({ url: 'http://127.0.0.1' });
void api.items('Track').list({ filter: { UnitPrice: { _gt: 0.99 } } });

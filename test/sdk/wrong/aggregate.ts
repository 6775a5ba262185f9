// TS2322: Type '"Name"' is not assignable to type
import { createClient } from 'content-api-client';

const api = createClient({ url: 'http://127.0.0.1' });
void api.items('Track').aggregate({ aggregate: { sum: ['Name'] } });

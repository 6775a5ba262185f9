// TS2353: Object literal may only specify known properties, and '_contains' does not exist in type 'NumberFilter'.
import { createClient } from 'content-api-client';

const api = createClient({ url: 'http://127.0.0.1' });
void api.items('Track').list({ filter: { Milliseconds: { _contains: 'x' } } });

// TS2353: 'code' does not exist in type
import { createClient } from 'content-api-client';

const api = createClient({ url: 'http://127.0.0.1' });
void api.items('block').list({ filter: { item: { code: { _eq: 'a' } } } });

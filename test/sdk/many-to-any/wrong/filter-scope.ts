// TS2353: and ''item:headng'' does not exist in type 'BlockFilter'
import { createClient } from 'content-api-client';

const api = createClient({ url: 'http://127.0.0.1' });
void api.items('block').list({ filter: { 'item:headng': { text: { _eq: 'a' } } } });

// TS2561: but 'txt' does not exist in type 'QuoteCreate
import { createClient } from 'content-api-client';

const api = createClient({ url: 'http://127.0.0.1' });
void api.items('block').create({ 'item:quote': { code: 'a', txt: 'b' } });

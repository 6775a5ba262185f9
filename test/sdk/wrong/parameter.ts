// TS2561: Object literal may only specify known properties, but 'limt' does not exist in type 'ListQuery<"Album", EveryColumn, [], [], NoAliases>'. Did you mean to write 'limit'?
import { createClient } from 'content-api-client';

const api = createClient({ url: 'http://127.0.0.1' });
void api.items('Album').list({ limt: 3 });

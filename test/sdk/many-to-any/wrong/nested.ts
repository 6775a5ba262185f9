// TS2322: Type '"code"' is not assignable to type 'Field<"heading">'
import { createClient } from 'content-api-client';

const api = createClient({ url: 'http://127.0.0.1' });
void api.items('block').list({ fields: [{ 'item:heading': ['code'] }] });

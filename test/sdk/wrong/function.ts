// TS2322: Type '"year(Total)"' is not assignable to type 'Field<"Invoice">'.
import { createClient } from 'content-api-client';

const api = createClient({ url: 'http://127.0.0.1' });
void api.items('Invoice').list({ fields: ['year(Total)'] });

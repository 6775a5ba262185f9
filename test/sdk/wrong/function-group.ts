// TS2322: Type '"count(Total)"' is not assignable to type 'Operand<"Invoice">'.
import { createClient } from 'content-api-client';

const api = createClient({ url: 'http://127.0.0.1' });
void api.items('Invoice').aggregate({ groupBy: ['count(Total)'], aggregate: { count: ['*'] } });

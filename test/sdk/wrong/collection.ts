// TS2345: Argument of type '"Albun"' is not assignable to parameter of type 'keyof Schema'.
import { createClient } from 'content-api-client';

const api = createClient({ url: 'http://127.0.0.1' });
void api.items('Albun');

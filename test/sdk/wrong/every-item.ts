// TS2322: Type '{ search: string; }' is not assignable to type 'undefined'.
import { createClient } from 'content-api-client';

const api = createClient({ url: 'http://127.0.0.1' });
void api.items('Genre').deleteMany({ query: { search: 'x' } });

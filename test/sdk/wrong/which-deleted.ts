// TS2322: Type '{ filter: { Name: { _eq: string; }; }; }' is not assignable to type 'undefined'.
import { createClient } from 'content-api-client';

const api = createClient({ url: 'http://127.0.0.1' });
void api.items('Genre').deleteMany({ keys: [1], query: { filter: { Name: { _eq: 'x' } } } });

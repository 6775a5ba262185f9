// TS2322: Type '"Nmae"' is not assignable to type 'Field<"Track">'.
import { createClient } from 'content-api-client';

const api = createClient({ url: 'http://127.0.0.1' });
void api
  .items('Album')
  .alias({ first: 'Track' })
  .list({ fields: [{ first: ['Nmae'] }] });

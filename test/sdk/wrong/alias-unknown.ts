// TS2322: Type '"last.Name"' is not assignable to type
import { createClient } from 'content-api-client';

const api = createClient({ url: 'http://127.0.0.1' });
void api
  .items('Album')
  .alias({ first: 'Track' })
  .list({ fields: ['last.Name'] });

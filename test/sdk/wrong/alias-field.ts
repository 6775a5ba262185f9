// TS2322: Track has no field Nmae
import { createClient } from 'content-api-client';

const api = createClient({ url: 'http://127.0.0.1' });
void api
  .items('Album')
  .alias({ first: 'Track' })
  .list({ fields: ['first.Nmae'] });

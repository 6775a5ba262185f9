// TS2353: 'last' does not exist in type
import { createClient } from 'content-api-client';

const api = createClient({ url: 'http://127.0.0.1' });
void api
  .items('Album')
  .alias({ first: 'Track' })
  .list({ deep: { last: { _limit: 1 } } });
